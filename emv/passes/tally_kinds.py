"""Find the tallies of which it does not show in which order the kinds come.

Cores then add up amounts in a table, and sort nothing; on a GPU a warp shares the kinds of a long
list. Rounds of the loop may leave behind

* sums of whole numbers, the smallest or the largest of what they found, and constants;
* what they assign where the kind equals something that the loop leaves alone, which one round does;
* the best and its kind, where ties are broken by the kind:
  ``if worth > most or (worth == most and kind < best): best, most = kind, worth``.

All else that they assign must be of use within one round only. Where the caller asks for sums of
floats in one and the same order, messages are sorted and walked one after the other.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.config import config
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import natural
from emv.passes.around import Around, Setting, by_launch
from emv.passes.sends import sorted_loops
from emv.passes.share_links import LOOPS
from emv.passes.share_rounds import assigned_in, is_step, is_whole, names_read

EXTREMES = ("min", "max")
TURNED = {"<": ">", ">": "<"}
REASONS = {
    "cpu": "kinds of messages are added up in a table: in which order they come does not show",
    "cuda": "in which order kinds of messages come does not show: a warp shares those of long lists",
}


@by_launch
def tally_kinds(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with what its tallies leave, if it hears no other sorted messages."""
    loops, target = sorted_loops(launch), around.setting.target
    if not loops or not all(each.is_tally for each in loops) or config.deterministic:
        return launch
    if target == "cuda" and not by_warps(launch, around.setting):
        return launch
    found = {id(each): Rounds(launch.body, each).leave_behind() for each in loops}
    if None in found.values():
        return launch

    def put(block: tuple[b.Stmt, ...]) -> tuple[b.Stmt, ...]:
        return tuple(
            dataclasses.replace(each, left=found[id(each)])  # type: ignore[call-arg]
            if id(each) in found
            else b.with_blocks(each, put)
            for each in block
        )

    body = dataclasses.replace(launch.body, statements=put(launch.body.statements))
    return launch.because(REASONS[target], body=body)


def by_warps(launch: s.Launch, setting: Setting) -> bool:
    """Return whether warps may take the long lists of a launch: one walk that returns nothing.

    What stands before the loop all lanes do, and what stands behind it the first.
    """
    stays = launch.again or launch.in_place or launch.gathered or launch.body.result is not None
    is_walk = launch.direction == "none" and not setting.divided and not setting.copies
    return is_walk and not stays and leads_to_loop(launch.body.statements)


def leads_to_loop(block: tuple[b.Stmt, ...]) -> bool:
    """Return whether tests and assignments of locals alone lead to the only loop."""
    for place, stmt in enumerate(block):
        behind = block[place + 1 :]
        if isinstance(stmt, b.ForMessages):
            return not any(isinstance(each, LOOPS) for each in b.statements_in(behind))
        if isinstance(stmt, b.If):
            return not (behind or stmt.otherwise) and leads_to_loop(stmt.then)
        if not isinstance(stmt, b.Assign):
            return False
    return False


class Rounds:
    """The rounds of a tally, and what each local that outlives one is left by them.

    Attributes
    ----------
    kinds : set of str
        The texts of the kind at hand.
    lasting : set of str
        The locals that outlive a round.
    left : dict
        Of those seen so far, how they are left, and what that is.
    """

    def __init__(self, body: b.Body, loop: b.ForMessages) -> None:
        self.loop, inside = loop, b.statements_in(loop.body)
        self.assigned = set(assigned_in(loop.body))
        behind = behind_loop(body.statements, loop, ())
        self.lasting = read_early(loop.body, set(), self.assigned)
        self.lasting |= read_early(behind or (), set(), self.assigned)
        self.kinds = {f"{loop.name}[0]"}
        self.kinds |= {
            each.name
            for each in loop.body
            if isinstance(each, b.Assign)
            and str(each.value) in self.kinds
            and sum(e.name == each.name for e in inside if isinstance(e, b.Assign)) == 1
        }
        self.left: dict[str, tuple[str, b.Left]] = {}

    def leave_behind(self) -> tuple[b.Left, ...] | None:
        """Return what the rounds leave in any order; None if the order shows."""
        if not self.is_free(self.loop.body, by_one=False):
            return None
        return tuple(left for _, left in self.left.values() if left.how)

    def is_free(self, block: tuple[b.Stmt, ...], by_one: bool) -> bool:
        """Return whether statements are; ``by_one`` says that only one round comes to them."""
        return all(self.is_free_step(each, by_one) for each in block)

    def is_free_step(self, stmt: b.Stmt, by_one: bool) -> bool:
        """Return whether a statement is."""
        if isinstance(stmt, b.Assign):
            return self.is_free_assignment(stmt, by_one)
        if not isinstance(stmt, b.If):
            return False
        if self.keeps_best(stmt):
            return True
        if names_read(stmt) & self.lasting or draws(stmt):
            return False
        is_one = by_one or self.is_of_one_kind(stmt.condition)
        return self.is_free(stmt.then, is_one) and self.is_free(stmt.otherwise, by_one)

    def is_free_assignment(self, stmt: b.Assign, by_one: bool) -> bool:
        """Return whether an assignment leaves the same in any order."""
        name, value = stmt.name, stmt.value
        if draws(stmt):
            return False
        if name not in self.lasting:
            return not names_read(stmt) & self.lasting
        if is_step(stmt):
            return not names_read(stmt) & (self.lasting - {name}) and self.leave(name, "sum")
        if isinstance(value, b.Call) and value.name in EXTREMES and len(value.args) == 2:
            first, other = value.args
            is_own = isinstance(first, b.Local) and first.name == name and is_whole(first.type)
            others = {e.name for e in b.inside(other) if isinstance(e, b.Local)}
            is_apart = is_own and is_whole(other.type) and not others & self.lasting
            return is_apart and self.leave(name, value.name)
        if names_read(stmt) & self.lasting:
            return False
        if isinstance(value, b.Const):
            return self.leave(name, "once", str(value))
        return by_one and name not in self.left and self.leave(name, "once")

    def leave(self, name: str, how: str, what: str = "", **more: Any) -> bool:
        """Return whether all that is left of a local is left in one way."""
        left = (what, b.Left(name, how, **more))
        return self.left.setdefault(name, left) == left

    def is_of_one_kind(self, condition: b.Expr) -> bool:
        """Return whether a condition holds in one round at most."""
        if not (isinstance(condition, b.Compare) and condition.op == "=="):
            return False
        one, other = condition.left, condition.right
        if str(one) not in self.kinds:
            one, other = other, one
        names = {each.name for each in b.inside(other) if isinstance(each, b.Local)}
        return str(one) in self.kinds and not names & (self.assigned | {self.loop.name})

    def keeps_best(self, stmt: b.If) -> bool:
        """Return whether a branch keeps the best and its kind, and nothing else."""
        compared = best_test(stmt)
        if compared is None:
            return False
        better, equal, before = compared
        made = assigned_values(stmt.then)
        kept = {name: value for name, value in made.items() if name in self.lasting}
        if len(kept) != 2 or sides(better) != sides(equal):
            return False
        names = tuple(kept)
        return any(self.is_best(kept, *each, better, before) for each in (names, names[::-1]))

    def is_best(
        self, kept: dict[str, b.Expr], best: str, most: str, better: b.Compare, before: b.Compare
    ) -> bool:
        """Return whether two locals are the kind that is best and what it is worth."""
        kind, worth = kept[best], kept[most]
        read = {each.name for each in b.inside(worth) if isinstance(each, b.Local)}
        is_exact = natural(str(worth.type)) == natural(str(self.type_of(most)))
        is_right = (
            str(kind) in self.kinds
            and sides(better) == {most, str(worth)}
            and sides(before) == {best, str(kind)}
            and not read & self.lasting
            and is_exact
            and not draws(worth)
            and not {best, most} & self.left.keys()
        )
        if not is_right:
            return False
        ops = (turned(better, most), turned(before, best))
        return self.leave(best, "") and self.leave(most, "best", best=best, ops=ops)

    def type_of(self, name: str) -> Any:
        """Return the type of a local that the loop reads."""
        found = b.expressions_in(self.loop.body)
        return next(each.type for each in found if isinstance(each, b.Local) and each.name == name)


def best_test(stmt: b.If) -> tuple[b.Compare, b.Compare, b.Compare] | None:
    """Return the comparisons of ``if x > y or (x == y and k < l)`` without another side."""
    asked = stmt.condition
    if stmt.otherwise or not (isinstance(asked, b.Logic) and asked.op == "or"):
        return None
    better, *rest = asked.parts
    tie = rest[0] if len(rest) == 1 else None
    if not (isinstance(tie, b.Logic) and tie.op == "and" and len(tie.parts) == 2):
        return None
    equal, before = tie.parts
    if not (
        isinstance(better, b.Compare)
        and isinstance(equal, b.Compare)
        and isinstance(before, b.Compare)
    ):
        return None
    is_such = equal.op == "==" and better.op in TURNED and before.op in TURNED
    return (better, equal, before) if is_such else None


def turned(compared: b.Compare, name: str) -> str:
    """Return the operator of a comparison in which a local stands on the right."""
    return compared.op if str(compared.right) == name else TURNED[compared.op]


def sides(compared: b.Compare) -> set[str]:
    """Return the texts of what is compared."""
    return {str(compared.left), str(compared.right)}


def draws(node: b.Stmt | b.Expr) -> bool:
    """Return whether a draw depends on how often there was one before: it has no name."""
    found = [inner for part in b.parts_of(node) for inner in b.inside(part)]
    return any(isinstance(each, b.Random) and not each.name for each in found)


def assigned_values(block: tuple[b.Stmt, ...]) -> dict[str, b.Expr]:
    """Return what assignments leave, in terms of what there was before; nothing of others."""
    made: dict[str, b.Expr] = {}

    def known(expr: b.Expr) -> b.Expr:
        if isinstance(expr, b.Local) and expr.name in made:
            return made[expr.name]
        return b.with_parts(expr, known)

    for each in block:
        if not isinstance(each, b.Assign):
            return {}
        made[each.name] = known(each.value)
    return made


def behind_loop(
    block: tuple[b.Stmt, ...], loop: b.ForMessages, behind: tuple[b.Stmt, ...]
) -> tuple[b.Stmt, ...] | None:
    """Return the statements that may run behind a loop; None if it is not in the block.

    Those of a loop around it may all do.
    """
    for place, each in enumerate(block):
        rest = (*block[place + 1 :], *behind)
        if each is loop:
            return rest
        around = () if isinstance(each, b.If) else (each,)
        for inner in b.blocks_of(each):
            found = behind_loop(inner, loop, (*around, *rest))
            if found is not None:
                return found
    return None


def read_early(block: tuple[b.Stmt, ...], sure: set[str], names: set[str]) -> set[str]:
    """Return the locals that may be read before they are assigned; adds to ``sure`` what is."""
    found = set[str]()
    for each in block:
        found |= (names_read(each) & names) - sure
        if isinstance(each, b.Assign):
            sure.add(each.name)
        ways = [set(sure) for _ in b.blocks_of(each)]
        for way, inner in zip(ways, b.blocks_of(each), strict=True):
            found |= read_early(inner, way, names)
        if isinstance(each, b.If):
            sure |= ways[0] & ways[1]
    return found
