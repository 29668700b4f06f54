"""Find receivers from which messages may be taken off as they come.

``if v.f > floor: v.f = max(v.f - x, floor)``, and ``v.activate()`` where that is the floor, with
``x`` the sum of what is sent, which is not negative. A sum may be taken off piece by piece, so
nobody needs to fold it first: whoever takes the piece with which the floor is reached has received,
and activates. What is left behind a superstep is the same, and so is who is active.

Nor does the order of supersteps matter. What an active vertex sends stays the same in the loop, and
a vertex is activated once at most, so all that is ever sent comes from one set of vertices: the
least that holds the first ones and whoever their messages bring to the floor. Any order finds it
(a chaotic iteration; Cousot and Cousot, 1977), so who is activated may send at once. Only the
number of supersteps may differ.

For GPUs, where a superstep costs barriers, and one of few vertices little else.
"""

from __future__ import annotations

from typing import Any

from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.frontiers import AllActive
from emv.lang.promote import spelled as spelled_type
from emv.passes.around import Around, DeclinedError
from emv.passes.exchange import Reaction, reaction_of, sent_by, spelled, told
from emv.passes.simplify import alike

WHY = (
    "a receiver takes what it is sent off {0}, down to a floor, and is activated there: messages "
    "are taken off as they come, and who is activated may send at once"
)
LOWEST = -(1 << 30)  # of a floor: a launch whose floor is lower is pulled
MOST = 255  # of a message: what all threads take off at once, and give back, overflows nothing
INSTEAD = "write if v.f > floor: v.f = max(v.f - x, floor), and v.activate() where v.f == floor"


def find_drain(launch: s.Launch, around: Around) -> s.Drain:
    """Return how receivers of a loop are drained.

    Raises
    ------
    DeclinedError
        If taking messages off as they come might show.
    """
    _check_loop(launch, around)
    function, parameter = launch.receiver.function, told(launch)
    fold = launch.folds[0] if launch.folds else None
    if parameter is None or fold is None or fold.ops[0].name != "sum" or fold.initial is not None:
        raise DeclinedError("its messages are not summed", "fold them by emv.sum(...)", launch.loc)
    reaction = reaction_of(launch.receiver)
    found = _above(reaction, parameter)
    if found is None or launch.receiver.aggregates or launch.receiver.returned is not None:
        raise DeclinedError(f"{function.name}() asks for more", INSTEAD, reaction.loc)
    field, floor = found
    kinds = {each.name: each.type for each in function.parameters}
    kept, taken = short_name(function.record.fields[field].dtype), kinds[parameter]
    is_whole = kept in ("i32", "i64") and taken in ("int", "i64")
    if not is_whole or launch.body.message not in ("int", "i64", "i32", "u8"):
        what = f"{field} is {kept}, what is taken off {spelled_type(launch.body.message)}"
        raise DeclinedError(what, "take whole numbers off an i32 or i64", launch.loc)
    if not _drains(reaction, field, floor, parameter):
        raise DeclinedError(
            f"{function.name}() does not take what it is sent off {field}", INSTEAD, reaction.loc
        )
    written = set(s.written_columns((around.loop,)))
    for sent in sent_by(launch):
        if not all(_stays(each, written) for each in (sent.value, *sent.tests)):
            why = f"what {launch.send.name}() sends may change in the loop"
            raise DeclinedError(why, "send what the loop leaves as it is", sent.value.loc)
        if not _is_small(sent.value):
            why = f"{spelled(sent.value, launch.send)} may be negative, or large"
            raise DeclinedError(why, f"send a number from 0 to {MOST}", sent.value.loc)
    return s.Drain(field, floor)


def _above(reaction: Reaction, parameter: str) -> tuple[str, b.Expr] | None:
    """Return the field that a receiver asks to be above a floor, and that; None if it asks more."""
    if len(reaction.tests) != 1:
        return None
    test = reaction.tests[0]
    if not isinstance(test, b.Compare) or test.op != "<" or not b.reads(test.right, "own"):
        return None
    floor = test.left
    is_known = isinstance(floor, b.Const) and floor.value >= LOWEST
    is_told = isinstance(floor, b.Local) and not b.is_local(floor, parameter)
    is_whole = floor.type in ("i32", "i64", "int")
    return (test.right.field, floor) if is_whole and (is_known or is_told) else None


def _drains(reaction: Reaction, field: str, floor: b.Expr, parameter: str) -> bool:
    """Return whether all ends lower the field by the parameter, and one activates at the floor."""
    active = 0
    for conditions, block in reaction.ends:
        if not _is_lowered(block[:1], field, floor, parameter):
            return False
        rest = block[1:]
        if rest and not (
            len(rest) == 1
            and isinstance(rest[0], b.Activate)
            and rest[0].element.role == "own"
            and len(conditions) == 1
            and _is_at(conditions[0], field, floor, parameter)
        ):
            return False
        active += bool(rest)
    return active == 1 and len(reaction.ends) == 2


def _is_lowered(block: Any, field: str, floor: b.Expr, parameter: str) -> bool:
    """Return whether a statement stores the field less a parameter, and at least the floor."""
    store = block[0] if block else None
    if not isinstance(store, b.Store) or store.op is not None or store.field != field:
        return False
    return store.element.role == "own" and _is_rest(store.value, field, floor, parameter)


def _is_rest(expr: b.Expr, field: str, floor: b.Expr, parameter: str) -> bool:
    """Return whether an expression is ``max(v.f - x, floor)``, as the field stores it or not."""
    while isinstance(expr, b.Call) and expr.name.startswith("cast:i"):
        expr = expr.args[0]
    if not isinstance(expr, b.Call) or expr.name != "max" or len(expr.args) != 2:
        return False
    return any(
        alike(other, floor) and _is_less(less, field, parameter)
        for less, other in (expr.args, expr.args[::-1])
    )


def _is_less(expr: b.Expr, field: str, parameter: str) -> bool:
    """Return whether an expression is ``v.f - x``."""
    if not isinstance(expr, b.Binary) or expr.op != "-":
        return False
    return b.reads(expr.left, "own", field) and b.is_local(expr.right, parameter)


def _is_at(test: b.Expr, field: str, floor: b.Expr, parameter: str) -> bool:
    """Return whether a test asks whether what is left is the floor."""
    if not isinstance(test, b.Compare) or test.op not in ("==", "<="):
        return False
    if test.op == "<=" and alike(test.right, floor) and _is_less(test.left, field, parameter):
        return True
    sides = ((test.left, test.right), (test.right, test.left))[: 1 if test.op == "<=" else 2]
    return any(
        alike(other, floor) and _is_rest(rest, field, floor, parameter) for rest, other in sides
    )


def _stays(expr: b.Expr, written: set[tuple[str, str]]) -> bool:
    """Return whether an expression of a message is the same in all supersteps, for everybody."""
    for each in b.inside(expr):
        if isinstance(each, b.Load) and (each.element.kind, each.field) in written:
            return False
        if isinstance(each, b.Random | b.Find | b.Local | b.HelperCall | b.OutArc):
            return False
    return True


def _is_small(expr: b.Expr) -> bool:
    """Return whether a message is a number from 0 to `MOST`, whatever stands in columns."""
    if isinstance(expr, b.Const):
        return bool(0 <= expr.value <= MOST)
    if isinstance(expr, b.Choose):
        return _is_small(expr.yes) and _is_small(expr.no)
    if not isinstance(expr, b.Load):
        return False
    dtype = expr.element.record.fields[expr.field].dtype
    return bool(dtype.kind in "ub" and dtype.itemsize == 1)


def _check_loop(launch: s.Launch, around: Around) -> None:
    """Decline a loop that does more, or ends otherwise than when nothing is active."""
    loop, setting = around.loop, around.setting
    assert loop is not None
    is_whole = not (setting.divided or setting.is_piece or setting.copies)
    if setting.target != "cuda" or not is_whole or isinstance(setting.asked.whole, AllActive):
        raise DeclinedError("it does not run whole, on one GPU", "run it there", launch.loc)
    if launch.direction != "either" or launch.body.result is not None:
        raise DeclinedError("it cannot be pulled as well", "send to neighbours", launch.loc)
    others = [each for each in loop.body if each is not launch and not _is_fixed(each, loop)]
    takes = [each for each in loop.body if isinstance(each, s.TakeActive)]
    is_alone = len(takes) == 1 and all(isinstance(each, s.TakeActive | s.Launch) for each in others)
    if not is_alone or sum(isinstance(each, s.Launch) for each in others) > 1:
        raise DeclinedError(
            "there is more in its loop", "give what else is done a loop of its own", loop.loc
        )
    if loop.until is not None or loop.limit != p.Number("i64", p.NO_LIMIT):
        raise DeclinedError(
            "its loop may end early", "leave until= and limit= out, as it ends by itself", loop.loc
        )


def _is_fixed(step: Any, loop: s.LoopStep) -> bool:
    """Return whether a step hands a function what is the same in all supersteps of the loop."""
    return isinstance(step, s.SetScalar) and _is_same(step.expr, loop)


def _is_same(scalar: p.Scalar, loop: s.LoopStep) -> bool:
    """Return whether a scalar is the same in a loop that works no scalars out.

    What another loop carries is: that one is around this one, and in one superstep meanwhile.
    """
    if isinstance(scalar, p.Operation):
        return all(_is_same(each, loop) for each in scalar.args)
    if isinstance(scalar, p.Carried):
        return scalar.loop != loop.number
    return isinstance(scalar, p.Number | p.ScalarParameter | p.GraphNumber | p.Aggregated)
