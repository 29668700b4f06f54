"""Find the tallies of which it does not show in which order the kinds come.

Cores then add up amounts in a table, and sort nothing; on a GPU warps and blocks do so with long
lists. Rounds of the loop may leave behind

* sums of whole numbers, the smallest or the largest of what they found, and constants;
* what they assign where the kind equals something that the loop leaves alone, which one round does;
* the best and its kind, where ties are broken by the kind:
  ``if worth > most or (worth == most and kind < best): best, most = kind, worth``.

All else that they assign must be of use within one round only. Where the caller asks for sums of
floats in one and the same order, messages are sorted and walked one after the other.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from emv.config import config
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import natural
from emv.passes.around import Around, Setting, by_launch
from emv.passes.sends import sorted_loops
from emv.passes.share_links import LOOPS
from emv.passes.share_rounds import assigned_in, is_step, is_whole, names_read

EXTREMES = ("min", "max")
NUMBERS = ("i64", "f32", "f64", "bool")  # of locals that lanes hand to each other
TURNED = {"<": ">", ">": "<"}
REASONS = {
    "cpu": "kinds of messages are added up in a table: in which order they come does not show",
    "cuda": "kinds of long lists are added up in tables: in which order they come does not show",
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
        self.loop, self.locals, inside = loop, body.locals, b.statements_in(loop.body)
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
        if names_read(stmt) & self.lasting:
            return False
        is_one = by_one or self.is_of_one_kind(stmt.condition)
        return self.is_free(stmt.then, is_one) and self.is_free(stmt.otherwise, by_one)

    def is_free_assignment(self, stmt: b.Assign, by_one: bool) -> bool:
        """Return whether an assignment leaves the same in any order."""
        name, value = stmt.name, stmt.value
        if name not in self.lasting:
            return not names_read(stmt) & self.lasting
        if is_step(stmt):
            return not names_read(stmt) & (self.lasting - {name}) and self.leave(name, "sum")
        if isinstance(value, b.Call) and value.name in EXTREMES and len(value.args) == 2:
            first, other = value.args if b.is_local(value.args[0], name) else value.args[::-1]
            are_whole = is_whole(first.type) and is_whole(other.type)
            is_apart = b.is_local(first, name) and are_whole and not self.reads_lasting(other)
            return is_apart and self.leave(name, value.name)
        if names_read(stmt) & self.lasting:
            return False
        if isinstance(value, b.Const):
            return self.leave(name, "once", str(value))
        return by_one and name not in self.left and self.leave(name, "once")

    def leave(self, name: str, how: str, what: str = "", **more: Any) -> bool:
        """Return whether all that is left of a local is left in one way."""
        left = (what, b.Left(name, how, **more))
        return self.type_of(name) in NUMBERS and self.left.setdefault(name, left) == left

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
        test = best_test(stmt)
        if test is None or stmt.otherwise or self.reads_lasting(*test.guards):
            return False
        made = assigned_values(stmt.then)
        kept = {name: value for name, value in made.items() if name in self.lasting}
        if len(kept) != 2 or sides(test.better) != sides(test.equal):
            return False
        (one, kind), (other, worth) = kept.items()
        if str(kind) not in self.kinds:
            one, kind, other, worth = other, worth, one, kind
        return self.is_best((one, kind), (other, worth), test)

    def is_best(self, best: tuple[str, b.Expr], most: tuple[str, b.Expr], test: BestTest) -> bool:
        """Return whether two locals are the kind that is best and what it is worth."""
        (name, kind), (measure, worth) = best, most
        is_exact = natural(str(worth.type)) == self.type_of(measure) != "bool"
        is_whole_kind = natural(str(kind.type)) == self.type_of(name) == "i64"
        is_right = (
            str(kind) in self.kinds
            and sides(test.better) == {measure, str(worth)}
            and sides(test.before) == {name, str(kind)}
            and is_exact
            and is_whole_kind
            and not self.reads_lasting(worth)
            and not {name, measure} & self.left.keys()
        )
        if not is_right:
            return False
        ops = (turned(test.better, measure), turned(test.before, name))
        return self.leave(name, "") and self.leave(measure, "best", best=name, ops=ops)

    def reads_lasting(self, *exprs: b.Expr) -> bool:
        """Return whether expressions depend on what other rounds leave."""
        inside = [each for expr in exprs for each in b.inside(expr)]
        return bool({each.name for each in inside if isinstance(each, b.Local)} & self.lasting)

    def type_of(self, name: str) -> str:
        """Return the type in which a local is computed; nothing of what is no number."""
        kind = self.locals.get(name)
        return natural(kind) if isinstance(kind, str) else ""


class BestTest(NamedTuple):
    """``... and (x > y or (x == y and k < l))``: what stands before it, and its comparisons."""

    guards: tuple[b.Expr, ...]
    better: b.Compare
    equal: b.Compare
    before: b.Compare


def best_test(stmt: b.If) -> BestTest | None:
    """Return the parts of such a condition; None of any other."""
    guards, asked = list[b.Expr](), stmt.condition
    if isinstance(asked, b.Logic) and asked.op == "and":
        *guards, asked = asked.parts
    found = parts_of_two(asked, "or")
    tie = parts_of_two(found[1], "and") if found else None
    if found is None or tie is None:
        return None
    compared = [each for each in (found[0], *tie) if isinstance(each, b.Compare)]
    ops = [each.op for each in compared]
    is_such = len(ops) == 3 and ops[1] == "==" and {ops[0], ops[2]} <= TURNED.keys()
    return BestTest(tuple(guards), *compared) if is_such else None


def parts_of_two(expr: b.Expr, op: str) -> tuple[b.Expr, b.Expr] | None:
    """Return both sides of ``and`` or ``or``; None of anything else."""
    is_such = isinstance(expr, b.Logic) and expr.op == op and len(expr.parts) == 2
    return (expr.parts[0], expr.parts[1]) if is_such else None  # type: ignore[attr-defined]


def turned(compared: b.Compare, name: str) -> str:
    """Return the operator of a comparison in which a local stands on the right."""
    return compared.op if str(compared.right) == name else TURNED[compared.op]


def sides(compared: b.Compare) -> set[str]:
    """Return the texts of what is compared."""
    return {str(compared.left), str(compared.right)}


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
