"""When to say that a loop by votes may have no end.

A loop in which values only sink, or sets only grow along arcs, needs a superstep for every vertex
at most, and few more; one whose every vertex votes to go on, whatever it finds, never ends. No one
can tell the two apart for sure, so what is long beyond both measures is said once, and runs on.
"""

from __future__ import annotations

import time

from emv.errors import EndlessLoopWarning, Loc
from emv.tracebacks import warn_at_caller

SUPERSTEPS = 100_000  # beyond twice the number of vertices
SECONDS = 10.0


class Patience:
    """Watches one loop.

    Parameters
    ----------
    loc : Loc
        Of the loop.
    num_vertices : int
        Of the graph.
    endless : bool
        Whether only votes end it.
    """

    def __init__(self, loc: Loc, num_vertices: int, endless: bool) -> None:
        self.loc, self.most = loc, SUPERSTEPS + 2 * num_vertices
        self.num_vertices = num_vertices
        self.begun = time.monotonic()
        self.has_said = not endless

    def look(self, supersteps: int) -> None:
        """Warn, once, of a loop that has run so many supersteps without an end."""
        if self.has_said or supersteps <= self.most or time.monotonic() - self.begun < SECONDS:
            return
        self.has_said = True
        loop = f"{self.loc}" + (f" ({self.loc.text.strip()})" if self.loc.text else "")
        warn_at_caller(
            f"the loop at {loop} has run {supersteps:,} supersteps on {self.num_vertices:,} "
            "vertices, and somebody votes to go on in each; if keep_going() or activate() does not "
            "depend on whether something changed, it never ends. Ctrl-C ends it, as does a limit: "
            "g.supersteps(1000)",
            EndlessLoopWarning,
        )
