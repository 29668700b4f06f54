"""Find what a pull in a loop need not look at, and what need not wait.

*Joined receivers* run right behind the pull that folds their messages. They may not write what
other receivers still read of their sources; then the folds are kept, and all receivers run in a
phase of their own, once everything has been read.

*Kept arcs*: a function of an edge whose text is ``if test: ...`` does nothing along all other arcs.
Where the loop changes nothing that the test speaks of, it is asked once, and receivers pull along
the arcs that passed alone. It is the motion of code that a loop leaves as it is; Alabandi, Powers
and Burtscher make such arrays by hand (Increasing the Parallelism of Graph Coloring via
Shortcutting, PPoPP 2020). It takes room for as many ids as there are arcs.

*Settled receivers*: a receiver that does nothing unless a guard on its own fields holds is done
with once it does not, if nobody else in the loop writes those fields. A GPU leaves it out from then
on; on cores the guard costs no more than the list of the others would.

*Looking again* in a sweep on a GPU: an element, or the receiver of a pull, that votes only for
itself need not wait for the whole grid; as soon as the one it waits for has written, its next look
sees it (Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent
Set Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.ir.schedule import Claim, Launch
from emv.passes.around import Around, Setting, by_launch
from emv.passes.settle_loops import activations

KEPT = "the test of an arc stays the same in the loop: what passes is kept"
SETTLES = "a receiver whose guard does not hold stays so, and is left out from then on"


@by_launch
def keep_arcs(launch: s.Launch, around: Around) -> s.Launch:
    """Return a launch that pulls, marked by what its supersteps have in common."""
    loop = around.loop
    if loop is None or launch.direction != "pull":
        return launch
    if launch.layout != "csr" or launch.domain.kind != "all":
        return launch
    kept, settles = _keeps(launch, loop), False
    if around.setting.target == "cuda":
        settles = _settles(launch, loop)
    reasons = [*[KEPT] * kept, *[SETTLES] * settles]
    return launch.because(*reasons, kept=kept, settles=settles)


def prepare_pulls(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, with what prepares the pulls of a loop before it."""

    def prepared(step: Any) -> list[Any]:
        inside = step.body if isinstance(step, s.LoopStep) else ()
        launches = [each for each in inside if isinstance(each, s.Launch)]
        return [*(s.PreparePull(each) for each in launches if each.kept or each.settles), step]

    return dataclasses.replace(schedule, body=s.changed_steps(schedule.body, prepared))


def unprepared(launch: s.Launch) -> s.Launch:
    """Return a launch without what was marked: copies of a batch share arcs, but not tests."""
    reasons = tuple(each for each in launch.reasons if each not in (KEPT, SETTLES, AGAIN))
    again = "" if launch.again == "receivers" else launch.again
    return dataclasses.replace(launch, kept=False, settles=False, again=again, reasons=reasons)


def _keeps(launch: s.Launch, loop: s.LoopStep) -> bool:
    """Return whether all that a launch does along an arc is behind a test that stays the same."""
    if launch.staged or any(isinstance(each.source, s.Values) for each in launch.args):
        return False
    if any(op.loc is not None for fold in launch.folds for op in fold.ops):
        return False  # folds neighbouring slots, and lanes keep what stands apart
    test, written = b.only_test(launch.body.statements), s.written_columns(loop.body)
    if test is None or not all(_stays(each, written) for each in b.inside(test.condition)):
        return False
    return not any(map(_speaks_of_edge, b.expressions_in(test.then)))


def _stays(expr: b.Expr, written: frozenset[tuple[str, str]]) -> bool:
    """Return whether a part of a test is the same in all supersteps of the loop."""
    if isinstance(expr, b.Load):
        return (expr.element.kind, expr.field) not in written and expr.element.role != "far"
    return not isinstance(expr, b.Local | b.Random | b.Find)


def _speaks_of_edge(expr: b.Expr) -> bool:
    """Return whether an expression needs to know which edge it is, besides its ends."""
    element = b.element_of(expr)
    return isinstance(expr, b.Random) or (element is not None and element.kind == "edge")


def _settles(launch: s.Launch, loop: s.LoopStep) -> bool:
    """Return whether a guard that does not hold never will again in the loop."""
    receive = launch.receive
    if receive is None or not receive.everyone or launch.guard is None:
        return False
    read = set[tuple[str, str]]()
    for each in b.inside(launch.guard):
        if isinstance(each, b.Local):
            return False
        if isinstance(each, b.Load):
            if each.element.role != "own":
                return False
            read.add(("vertex", each.field))
    own = [each for each in receive.function.effects.writes if each.where == "own"]
    if len(own) != len(receive.function.effects.writes):
        return False
    others = tuple(step for step in loop.body if getattr(step, "number", None) != launch.number)
    sent = launch.send.effects.written
    return not read & (s.written_columns(others) | sent)


@by_launch
def join_receivers(launch: Launch, around: Around) -> Launch:
    """Return the launch, marked if its receivers run inside its pull, else with what they write."""
    if launch.receive is None or launch.direction not in ("pull", "either"):
        return launch
    if isinstance(launch.shortcut, Claim):  # which folds nothing
        return launch
    read = conflicts(launch)
    if not read:
        return dataclasses.replace(launch, joined=True)
    reason = f"receivers wait until all is read, as they write {', '.join(sorted(read))}"
    return launch.because(reason)


def conflicts(launch: Launch) -> set[str]:
    """Return the columns that the receiver writes and the sender must read as they were."""
    if launch.receive is None or launch.in_place:
        return set()
    written = launch.receive.function.effects.written
    read: set[Any] = {("vertex", launch.domain.mask)}
    if not launch.staged:
        read |= {
            (each.kind, each.field)
            for each in launch.send.effects.reads
            if each.where in ("src", "own", "far") and each.kind == "vertex"
        }
    return {name for _, name in read & written}


OWN = "it sends nothing and votes for its own element alone, which may look again at once"
AGAIN = "a receiver is done with one day, and only votes until then: it may look again at once"
LOOKING = ("vertex", "elist")  # kinds of functions whose elements may look again
WAITING = {"activate", "keep_going", "find"}  # all that these may do besides reading and writing


@by_launch
def look_again(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if its elements or receivers may look again."""
    if around.setting.target != "cuda" or not launch.in_place:
        return launch
    if _elements(launch):
        return launch.because(OWN, again="elements")
    if _receivers(launch):
        return launch.because(AGAIN, again="receivers")
    return launch


def _elements(launch: s.Launch) -> bool:
    """Return whether a function sends nothing and votes for its own element alone."""
    if launch.direction != "none" or launch.send.kind not in LOOKING:
        return False
    if launch.returned is not None or launch.aggregates:
        return False
    acts = launch.send.effects.acts
    own = all(each.element.role == "own" for each in activations(launch.send, "vertex"))
    return own and bool(acts & {"activate", "keep_going"}) and acts <= WAITING


def _receivers(launch: s.Launch) -> bool:
    """Return whether receivers that hear along kept arcs change themselves and vote until done."""
    receive = launch.receive
    if receive is None or not (launch.kept and launch.settles):
        return False
    if receive.returned is not None or receive.aggregates:
        return False
    acts = receive.function.effects.acts
    return "keep_going" in acts and acts <= {"keep_going", "find"}
