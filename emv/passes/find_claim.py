"""Find receivers that do the same with whichever message comes first.

The messages of a superstep must all be equal (`level_fields` has the proof), or the receiver must
not ask what they are. All who receive must be given the same number, behind a test of their own
fields that fails afterwards. Then who changes the tested field has received: no fold is needed, and
a pulling receiver stops at its first active neighbour. The direction is Beamer's (SC 2012).
"""

from __future__ import annotations

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, DeclinedError
from emv.passes.canonical import Block, is_update
from emv.passes.exchange import (
    Reaction,
    Sent,
    fields_in,
    names_in,
    of_receiver,
    once,
    reaction_of,
    sent_by,
    spelled,
    told,
)
from emv.passes.level_fields import prove_level
from emv.passes.open_values import bounded_field, empty_of, exact_field, follows, open_number
from emv.passes.simplify import alike, joined

SAME = ("min", "max", "any", "all", "bitwise_or")  # operators that give x of any number of x
LEVEL = (b.Const, b.Local, b.Binary, b.Unary, b.Compare, b.Logic, b.Choose, b.Call)


def find_claim(launch: s.Launch, around: Around) -> s.Claim:
    """Return how the first message claims its receiver.

    Raises
    ------
    DeclinedError
        If that is not provably the same as folding all messages.
    """
    parameter, sent = told(launch), _one_message(launch)
    reaction = reaction_of(launch.receiver)
    tests = once([*sent[1], *reaction.tests])
    _check_tests(launch, tests, parameter)
    stores = _level_stores(launch, reaction)
    used = [expr for _, block in reaction.ends for stmt in block for expr in b.parts_of(stmt)]
    used += [each for conditions, _ in reaction.ends for each in conditions]
    message = sent[0].value if parameter in names_in(used) else None
    if message is not None:
        _check_fold(launch, message)
    test, field, rest = _claimed(launch, tests, stores)
    found = empty_of(test)
    empty = found[1] if found else open_number(test, stores[field], message, launch, around)
    if message is not None:
        prove_level(launch, around, message, stores, (field, empty))
    also = joined(rest) if rest else None
    return s.Claim(field, empty, message, stores[field], also, without(reaction.then, field))


def why(claim: s.Claim) -> str:
    """Return why the shortcut is right."""
    told = "all messages of a superstep are equal, and the first one"
    if claim.message is None:
        told = "a receiver does the same whatever it is sent, and its first message"
    asks = "which the receiver tests"
    if claim.rises:
        asks = "as none is less than what was sent before"
    return (
        f"{told} changes {claim.field}, {asks}: no fold, and a pulling receiver stops at its first "
        "active neighbour"
    )


def _one_message(launch: s.Launch) -> tuple[Sent, list[b.Expr]]:
    """Return the one message, and what its sender asks of the receiver alone."""
    found = sent_by(launch)
    name = launch.send.name
    if len(found) > 1:
        raise DeclinedError(
            f"{name}() sends one of several messages",
            "send one, and let the receiver make of it what it needs",
            found[1].value.loc,
        )
    asked = []
    for test in found[0].tests:
        made = of_receiver(test)
        if made is None:
            by_chance = any(isinstance(each, b.Random) for each in b.inside(test))
            where = "by chance" if by_chance else f"only where {spelled(test, launch.send)}"
            remedy = "test what e.dst holds, or nothing: a loop that is to end sooner has limit="
            raise DeclinedError(
                f"{name}() sends {where}, so that not all who are reached are sent something",
                "there is nothing else to write" if by_chance else remedy,
                test.loc,
            )
        asked.append(made)
    return found[0], asked


def _check_tests(launch: s.Launch, tests: list[b.Expr], parameter: str | None) -> None:
    """Decline what is no test of own fields alone, which stay while others receive."""
    function = launch.receiver.function
    if not tests:
        raise DeclinedError(
            f"{function.name}() does something whenever it is sent something",
            "where only the first time counts, begin it with if v.f == EMPTY: v.f = ...",
            function.loc,
        )
    sent = launch.send.effects.written
    for test in tests:
        for expr in b.inside(test):
            element = b.element_of(expr)
            is_told = b.is_local(expr, parameter)
            is_far = element is not None and element.role != "own"
            changes = isinstance(expr, b.Load) and (expr.element.kind, expr.field) in sent
            if is_told or is_far or changes or not isinstance(expr, (*LEVEL, b.Load, b.Attribute)):
                raise DeclinedError(
                    f"{function.name}() acts only where {spelled(test, function)}, which is not "
                    "about its own fields alone",
                    "where only the first time counts, test if v.f == EMPTY, and nothing else",
                    test.loc,
                )


def _level_stores(launch: s.Launch, reaction: Reaction) -> dict[str, b.Expr]:
    """Return the fields that every receiver is given the same number, and that number."""
    name, stores = launch.receiver.function.name, list[dict[str, b.Expr]]()
    for _, block in reaction.ends:
        for stmt in block:
            is_own = isinstance(stmt, b.Activate) and stmt.element.role == "own"
            if isinstance(stmt, b.Vote) or is_own or is_update(stmt):
                continue
            raise DeclinedError(
                f"{name}() does more than to write its own fields and to activate itself",
                "do the rest in a call after it",
                stmt.loc,
            )
        if sum(isinstance(each, b.Activate) for each in block) != 1:
            raise DeclinedError(
                f"{name}() does not activate the vertex wherever it writes to it",
                "where all who are reached go on, say v.activate() beside v.f = x",
                reaction.loc,
            )
        stores.append({each.field: each.value for each in block if isinstance(each, b.Store)})
    return {
        field: value
        for field, value in stores[0].items()
        if all(field in each and alike(each[field], value) for each in stores)
        and all(isinstance(each, LEVEL) for each in b.inside(value))
    }


def _claimed(
    launch: s.Launch, tests: list[b.Expr], stores: dict[str, b.Expr]
) -> tuple[b.Expr, str, list[b.Expr]]:
    """Return the test that ends where the receiver is given something, its field, other tests."""
    function = launch.receiver.function
    written = {each.field for each in function.effects.writes}
    for field_of in (exact_field, bounded_field):
        for test in tests:
            field = field_of(test)
            if field is None or field not in stores:
                continue
            rest = [each for each in tests if each is not test and not follows(each, test)]
            if not fields_in(rest, "own") & written:
                return test, field, rest
    shown = " and ".join(spelled(each, function) for each in tests)
    raise DeclinedError(
        f"{function.name}() tests {shown}, and does not end that by giving every receiver the "
        "same number",
        "where only the first time counts, test the field that it writes: if v.f == EMPTY: v.f = x",
        tests[0].loc,
    )


def _check_fold(launch: s.Launch, message: b.Expr) -> None:
    """Decline folds that give something else of many equal messages than of one."""
    fold = launch.folds[0]
    op, many = fold.ops[0], isinstance(launch.body.message, tuple)
    if many:
        raise DeclinedError(
            f"{launch.send.name}() sends several numbers as one message",
            "send one that all active vertices share; what depends on who sends, as a parent does, "
            "is found after the loop, along arcs from one level to the next",
            message.loc,
        )
    if op.name not in SAME or op.loc is not None or fold.initial is not None:
        how = "with initial=" if fold.initial is not None else f"by {op.name}"
        raise DeclinedError(
            f"its messages are folded {how}, so that it matters how many there are",
            "where one is as good as all, fold them by emv.min(...) alone",
            launch.loc,
        )


def without(block: Block, field: str) -> Block:
    """Return what else is done where a field is given its number."""
    kept = [each for each in block if not (isinstance(each, b.Store) and each.field == field)]
    return tuple(b.with_blocks(each, lambda inner: without(inner, field)) for each in kept)
