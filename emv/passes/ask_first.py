"""Decide which pushes on cores ask first whose ends pass a test, before they do anything for them.

A push does something for a receiver only if its guard holds, or if nobody has claimed it: a test
that a processor guesses wrong every other time on a mesh. Nothing that the test reads changes but
by what it guards, so it may be asked of several receivers before anything is done for one; who
changes a receiver asks again. What is done may need both ends, but nothing of the arc between.
"""

from __future__ import annotations

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, by_launch

ASKED = "where rows are short, receivers are asked without a branch, a block of rows at a time"


@by_launch
def ask_first(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with whether its push asks first."""
    if around.setting.target != "cpu" or launch.direction not in ("push", "either"):
        return launch
    is_walk = launch.domain.kind == "active" and launch.arc_form and launch.layout == "csr"
    is_claim = isinstance(launch.shortcut, s.Claim)
    if not is_walk or not (is_claim or (launch.shortcut is None and launch.guard is not None)):
        return launch
    return launch.because(ASKED, asks_first=True) if is_claim or needs_ends(launch) else launch


def ends_of(launch: s.Launch) -> tuple[str, ...]:
    """Return the ends of an arc that what is done needs: all messages of a claim are one."""
    needs = any(each.role == "src" for each in elements(launch))
    return ("src", "dst") if needs and not isinstance(launch.shortcut, s.Claim) else ("dst",)


def needs_ends(launch: s.Launch) -> bool:
    """Return whether a function needs only the ends of an arc: no fields of it, and no draws."""
    draws = any(isinstance(e, b.Random) for e in b.expressions_in(launch.body.statements))
    is_of_ends = all(each.role in ("src", "dst") for each in elements(launch))
    return is_of_ends and not draws and not launch.send.effects.writes


def elements(launch: s.Launch) -> list[b.Element]:
    """Return the elements that a function names."""
    block = launch.body.statements
    nodes: list[b.Stmt | b.Expr] = [*b.statements_in(block), *b.expressions_in(block)]
    return [each for each in map(b.element_of, nodes) if each is not None]
