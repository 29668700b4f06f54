"""What a profiled kernel says of itself: one record per phase, written by the thread that is alone.

Between two phases one thread changes the shared state while all others wait. In a traced program it
first writes a record: which phase is over, the time, the superstep and the active set it worked on.
A record's time is that of the end of its phase, so a phase took as long as it is from the record
before to its own, the barrier and what one thread did before it included.

The text of a program that is not traced does not change.
"""

from __future__ import annotations

from emv.codegen.quote import quote
from emv.ir import nodes as n

RECORDS = 1 << 16  # of one launch; those beyond are counted, not kept
FIELDS = (
    "PHASE",  # a number of a label, 0 where no phase ran, START where a launch begins
    "TIME",  # nanoseconds
    "SUPERSTEPS",
    "NUM_ACTIVE",
    "ACTIVE_ARCS",
    "NUM_ACTIVE_EDGES",
    "PULLING",
    "ALONE",
)
START = -1
TRACED = 190  # the place of the state that counts records


def record() -> n.Function:
    """Return the function that writes a record."""
    text = f"""at = state[TRACED]
state[TRACED] = at + 1
if at < {RECORDS}:
    at *= {len(FIELDS)}
    trace[at] = phase
    trace[at + 1] = nanoseconds()
"""
    for k, field in enumerate(FIELDS[2:], 2):
        text += f"    trace[at + {k}] = state[{field}]\n"
    return n.Function("record", "@control", ("state", "trace", "phase"), (), quote(text, {}))
