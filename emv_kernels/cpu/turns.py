"""Whether a small phase is worth to be shared out, found out while it runs again and again.

To wake a thread takes a microsecond where it still spins, tens of them where it sleeps, and
hundreds where another program or a virtual machine has its core. So both ways are timed, by what
there is to do. Who was faster is taken for ever more windows of phases, between which the other is
tried for a few; and tried at once where a window has become slower than that was.
"""

from __future__ import annotations

from emv_kernels.cpu.jit import called
from emv_kernels.cpu.signals import nanoseconds

TRIAL = 4  # phases for which the slower way is tried
WINDOW = 16  # phases for which the faster one is timed
LONGEST = 5  # two to the power of it windows come between two trials, at most

# What is kept of a phase, from `at` on among those of its launch; zeros at the beginning. The ways
# are 0, shared, and 1, alone.
WAY = 0  # that is taken
FASTER = 1  # the way that was faster
WINS = 2  # how often, one after another
WINDOWS = 3  # that are left before the next trial
PHASES = 4  # of the window so far
BEGUN = 5  # when the phase began; 0 if it is not timed
SIZE = 6  # of the phase
SPENT = 8  # nanoseconds of the last window of each way
DONE = 10  # what was done in them


@called
def is_alone(kept, at, size, large):
    """Return whether one thread does a phase alone, unless it is large; it begins now."""
    if size >= large:
        return False
    kept[at + BEGUN] = nanoseconds()
    kept[at + SIZE] = size
    return kept[at + WAY] != 0


@called
def judge(kept, at):
    """Note that the phase has ended, and choose how the next one is done."""
    if kept[at + BEGUN] == 0:
        return
    way, faster = kept[at + WAY], kept[at + FASTER]
    if kept[at + PHASES] == 0:
        kept[at + SPENT + way] = kept[at + DONE + way] = 0
    kept[at + SPENT + way] += nanoseconds() - kept[at + BEGUN]
    kept[at + DONE + way] += kept[at + SIZE]
    kept[at + BEGUN] = 0
    kept[at + PHASES] += 1
    if kept[at + PHASES] < (WINDOW if way == faster else TRIAL):
        return
    kept[at + PHASES] = 0
    other = 1 - way
    took = kept[at + SPENT + way] * kept[at + DONE + other]
    is_slower = took > kept[at + SPENT + other] * kept[at + DONE + way]
    if way == faster:
        kept[at + WINDOWS] -= 1
        if is_slower:
            kept[at + WINS] = 0
        if is_slower or kept[at + WINDOWS] <= 0:
            kept[at + WAY] = other
        return
    kept[at + WINS] = min(kept[at + WINS] + 1, LONGEST) if is_slower else 0
    kept[at + FASTER] = other if is_slower else way
    kept[at + WAY] = kept[at + FASTER]
    kept[at + WINDOWS] = 1 << kept[at + WINS]
