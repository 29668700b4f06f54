"""Whether a small phase is worth to be shared out, found out while it runs again and again.

To wake a thread takes a microsecond where it still spins, tens of them where it sleeps, and
thousands where another program has its core. So both ways are timed, by what there is to do. Who
was faster is taken for ever more windows of phases, between which the other is tried for a few.
Where sharing becomes slower than one thread was, that is tried at once.
"""

from __future__ import annotations

from emv_kernels.cpu.jit import called
from emv_kernels.cpu.signals import nanoseconds

FRESH = 2  # phases behind a change that do not count: threads wake, and what they read comes along
TRIAL = 4  # phases for which the slower way is tried
WINDOW = 16  # phases for which the faster one is timed
LONGEST = 5  # two to the power of it windows come between two trials, at most
MOST = 2  # times what one thread took before, that it counts: beyond, its own core was taken
SHARED, ALONE = 0, 1  # the ways
UNTIMED = -1  # instead of when a superstep began

# What is kept of a phase, from `at` on among those of its launch; zeros at the beginning.
WAY = 0  # that is taken
FASTER = 1  # the way that was faster
WINS = 2  # how often, one after another
WINDOWS = 3  # that are left before the next trial
PHASES = 4  # of the window so far
BEGUN = 5  # when the phase, or its superstep, began; 0 if it is not timed
SIZE = 6  # of the phase
SPENT = 7  # nanoseconds of the window so far
DONE = 8  # what was done in it
TOOK = 10  # nanoseconds of the last window of each way
DID = 12  # what was done in them
STEP = 14  # the superstep whose phases are judged as one


@called
def is_alone(kept, at, size, large):
    """Return whether one thread does a phase alone, unless it is large; it begins now."""
    if size >= large:
        return False
    kept[at + BEGUN] = nanoseconds()
    kept[at + SIZE] = size
    return kept[at + WAY] == ALONE


@called
def goes_alone(kept, step, size, large):
    """Return whether one thread does a phase alone, where all of a superstep are judged as one.

    Judged by itself, a phase may look better done by one thread where all of them shared out are
    better still. The first one begins the superstep. One with a large phase, which is shared out in
    any case, is not timed.
    """
    if kept[BEGUN] == 0 or kept[STEP] != step:
        kept[BEGUN] = nanoseconds()
        kept[STEP] = step
        kept[SIZE] = 0
    if size >= large:
        kept[BEGUN] = UNTIMED
        return False
    kept[SIZE] += size
    return kept[WAY] == ALONE


@called
def judge(kept, at):
    """Note that the phase has ended, and choose how the next one is done."""
    if kept[at + BEGUN] <= 0:
        kept[at + BEGUN] = 0
        return
    took, size, way = nanoseconds() - kept[at + BEGUN], kept[at + SIZE], kept[at + WAY]
    kept[at + BEGUN] = 0
    kept[at + PHASES] += 1
    if kept[at + PHASES] <= 0:
        return
    if way == ALONE and kept[at + DID + ALONE] != 0:
        took = min(took, MOST * size * kept[at + TOOK + ALONE] // kept[at + DID + ALONE])
    kept[at + SPENT] += took
    kept[at + DONE] += size
    is_trial = way != kept[at + FASTER] or kept[at + DID + ALONE] == 0
    if kept[at + PHASES] >= (TRIAL if is_trial else WINDOW):
        end_window(kept, at)
        kept[at + PHASES] = 0 if kept[at + WAY] == way else -FRESH
        kept[at + SPENT] = kept[at + DONE] = 0


@called
def end_window(kept, at):
    """Note what the window took, and choose the way of the next one."""
    way, wins, spent, done = kept[at + WAY], kept[at + WINS], kept[at + SPENT], kept[at + DONE]
    other = 1 - way
    kept[at + TOOK + way] = spent
    kept[at + DID + way] = done
    is_slower = spent * kept[at + DID + other] > kept[at + TOOK + other] * done
    if way != kept[at + FASTER]:
        kept[at + WINS] = min(wins + 1, LONGEST) if is_slower else 0
        kept[at + FASTER] = kept[at + WAY] = other if is_slower else way
        kept[at + WINDOWS] = 1 << kept[at + WINS]
        return
    kept[at + WINDOWS] -= 1
    if way == SHARED and is_slower:
        kept[at + WINS] = kept[at + WINDOWS] = 0
    if kept[at + WINDOWS] <= 0:
        kept[at + WAY] = other
