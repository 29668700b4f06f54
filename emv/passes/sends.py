"""What the statements of a function send: how often, and whether the arcs have a slot for each.

Read off the statements alone: one that sends stands in a loop or not, goes along an arc, along all
of them or to any vertex. Who must know a number of messages beforehand is told none where a loop
that no text bounds stands around it.
"""

from __future__ import annotations

from typing import Any

from emv.ir import body as b
from emv.ir.schedule import Launch


def why_no_slots(launch: Launch) -> str:
    """Return why arcs have no slots for what a launch sends; empty if they do."""
    if any(each.along == "to" for each in sends_of(launch)):
        return "it sends to any vertex, and slots are those of arcs"
    if launch.domain.kind in ("edges", "active_edges"):
        return "it goes over the edges as they were added, and slots are those of arcs"
    if is_repeated(launch):
        return "it sends in a loop, so that the messages per arc are not known"
    return ""


def sends_of(launch: Launch) -> list[b.Send]:
    """Return the statements that send."""
    return [each for each in b.statements_in(launch.body.statements) if isinstance(each, b.Send)]


def is_repeated(launch: Launch) -> bool:
    """Return whether one statement may send more than once in an instance, or along one arc."""
    return any(
        isinstance(stmt, b.While | b.ForRange)
        or (isinstance(stmt, b.ForLinks) and _sends_to_all(stmt.body))
        for stmt in b.statements_in(launch.body.statements)
        if any(isinstance(each, b.Send) for each in b.statements_in(_inside(stmt)))
    )


def _sends_to_all(block: tuple[b.Stmt, ...]) -> bool:
    """Return whether a body that is run for each arc goes over all arcs again and sends there."""
    return any(
        (isinstance(each, b.Send) and each.along in ("all", "to"))
        or (isinstance(each, b.ForLinks) and any(isinstance(e, b.Send) for e in each.body))
        for each in b.statements_in(block)
    )


def _inside(stmt: b.Stmt) -> tuple[b.Stmt, ...]:
    return tuple(each for block in b.blocks_of(stmt) for each in block)


def most_messages(launch: Launch) -> str | None:
    """Return the text of how many messages there can be, such as ``V*2+A``; None if unbounded.

    Elements of a domain are different from each other, so each statement sends once per element,
    arc or round of a loop of constant length.
    """
    of_edges = launch.domain.kind in ("edges", "active_edges")
    over_arcs = "E" if of_edges else "A"
    instance = over_arcs if launch.arc_form else "V"
    terms = _terms(launch.body.statements, instance, 1)
    if terms is None:
        return None
    return "+".join(f"{letter}*{times}" for letter, times in sorted(terms.items())) or "V*0"


def sends_all(launch: Launch) -> bool:
    """Return whether everybody sends, so that as many messages come as there can be."""
    branches = [e for e in b.statements_in(launch.body.statements) if isinstance(e, b.If)]
    held = any(isinstance(each, b.Send) for e in branches for each in b.statements_in(_inside(e)))
    return launch.domain.kind in ("all", "edges") and not held


def _terms(block: tuple[b.Stmt, ...], letter: str, times: int) -> dict[str, int] | None:
    """Return how often each letter counts, None where a loop has no constant length."""
    found: dict[str, int] = {}
    for stmt in block:
        inner: dict[str, int] | None = {}
        if isinstance(stmt, b.Send):
            whole = stmt.along == "all" and letter == "V"
            inner = {"A" if whole else letter: times}
        elif not any(isinstance(each, b.Send) for each in b.statements_in(_inside(stmt))):
            continue
        elif isinstance(stmt, b.If):
            inner = _added(*(_terms(each, letter, times) for each in (stmt.then, stmt.otherwise)))
        elif isinstance(stmt, b.ForLinks) and letter == "V" and not goes_over_arcs(stmt.body):
            inner = _terms(stmt.body, "A", times)
        elif isinstance(stmt, b.ForRange) and _rounds(stmt) is not None:
            inner = _terms(stmt.body, letter, times * (_rounds(stmt) or 0))
        else:
            return None
        merged = _added(found, inner)
        if merged is None:
            return None
        found = merged
    return found


def goes_over_arcs(block: tuple[b.Stmt, ...]) -> bool:
    """Return whether statements go over the arcs of their vertex, or send along all of them."""
    return any(
        isinstance(each, b.ForLinks) or (isinstance(each, b.Send) and each.along == "all")
        for each in b.statements_in(block)
    )


def _added(*parts: dict[str, int] | None) -> dict[str, int] | None:
    total: dict[str, int] = {}
    for part in parts:
        if part is None:
            return None
        for letter, times in part.items():
            total[letter] = total.get(letter, 0) + times
    return total


def _rounds(stmt: b.ForRange) -> int | None:
    """Return the rounds of a loop whose bounds are numbers in the text."""
    bounds: list[Any] = [stmt.start, stmt.stop, stmt.step]
    if not all(isinstance(each, b.Const) for each in bounds):
        return None
    values = [int(each.value) for each in bounds]
    return len(range(*values)) if values[2] else None


def sorted_loops(launch: Launch) -> list[b.ForMessages]:
    """Return the loops over the sorted messages in what a launch applies."""
    statements = b.statements_in(launch.body.statements)
    return [each for each in statements if isinstance(each, b.ForMessages) and each.is_sorted]


def in_any_order(launch: Launch) -> bool:
    """Return whether a launch tallies what it hears, and may run the rounds in any order."""
    loops = sorted_loops(launch)
    return bool(loops) and all(each.left is not None for each in loops)


def sorts_all(launch: Launch) -> bool:
    """Return whether a launch hears messages, and only sorted ones."""
    loops = [e for e in b.statements_in(launch.body.statements) if isinstance(e, b.ForMessages)]
    return launch.send.kind == "mlist" and all(each.is_sorted for each in loops)
