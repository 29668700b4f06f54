"""What of the numbers that loops hand on is used, and which loops must run for it to be there.

A number that nothing names is not handed on: dead code elimination on the tree of a program (Cytron
et al., TOPLAS 13, 1991, section 7.1).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import program as ir
from emv.lang.carry import leaves_in
from emv.lang.supersteps import no_superstep

Nodes = tuple[ir.Node, ...]


def carried_in(part: Any) -> set[ir.Carried]:
    """Return what of the numbers that loops hand on a part of a trace names."""
    return {each for each in leaves_in(part) if isinstance(each, ir.Carried)}


def pruned(nodes: Nodes, results: Any) -> Nodes:
    """Return a block whose loops hand on what is used, and nothing else."""
    while True:
        used, is_done = carried_in((uses_of(nodes), results)), True
        made = []
        for node in nodes:
            made.append(_with_used(node, used))
            is_done = is_done and made[-1] is node
        nodes = tuple(made)
        if is_done:
            return nodes


def uses_of(nodes: Nodes, but: ir.Loop | None = None) -> list[Any]:
    """Return all that nodes name, but what loops hand on without its being named elsewhere.

    ``but`` is a loop of which nothing is asked.
    """
    found: list[Any] = []
    for node in nodes:
        if not isinstance(node, ir.Loop):
            found.append(node)
        elif node is not but:
            found += [node.limit, node.until, *uses_of(node.body, but)]
            for leaf, first, then in node.carried:
                found += [first, *(set(leaves_in(then)) - {leaf})]
    return found


def _with_used(node: ir.Node, used: set[ir.Carried]) -> ir.Node:
    if not isinstance(node, ir.Loop):
        return node
    body = tuple(_with_used(each, used) for each in node.body)
    carried = tuple(each for each in node.carried if each[0] in used)
    if carried == node.carried and all(a is b for a, b in zip(body, node.body, strict=True)):
        return node
    return dataclasses.replace(node, body=body, carried=carried)


def loops_that_must_run(nodes: Nodes, results: Any) -> tuple[ir.Loop, ...]:
    """Return the loops of which something is used behind them, where their limits decide.

    Raises
    ------
    LanguageError
        If a limit is 0, or known only while the program runs.
    """
    found = []
    for loop in ir.nodes_in(nodes):
        if not isinstance(loop, ir.Loop) or ir.is_sure(loop.limit):
            continue
        if not _is_used(loop, [uses_of(nodes, but=loop), results]):
            continue
        early = ir.Number | ir.ScalarParameter | ir.GraphNumber
        is_early = all(isinstance(each, early) for each in leaves_in(loop.limit))
        if isinstance(loop.limit, ir.Number) or not is_early:
            raise no_superstep(loop.loc, is_sure=is_early)
        found.append(loop)
    return tuple(found)


def _is_used(loop: ir.Loop, outside: Any) -> bool:
    """Return whether what only a loop makes is named outside of it."""
    made = {each.id for each in ir.nodes_in(loop.body) if hasattr(each, "id")}
    begun = {leaf for leaf, first, _ in loop.carried if first is None}
    waiting = [outside]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ir.Ref | ir.Aggregated) and each.id in made:
            return True
        if isinstance(each, ir.Domain) and each.source in made:
            return True
        if isinstance(each, ir.Carried) and each in begun:
            return True
        if isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, ir.Node | ir.Domain | ir.Operation):
            waiting += vars(each).values()
    return False


def settled(nodes: Nodes, results: Any) -> tuple[Nodes, Any]:
    """Return nodes and results in which what needs no place of its own has none.

    A variable that only a loop gives a value, made of no number that changes when the superstep is
    over, is after the loop what it was in the last superstep.
    """
    for loop in reversed(ir.nodes_in(nodes)):  # inner loops first
        if isinstance(loop, ir.Loop):
            names = {
                leaf: then
                for leaf, first, then in loop.carried
                if first is None and not _changes(then, loop.id)
            }
            nodes, results = replaced(nodes, names), replaced(results, names)
    return nodes, results


def _changes(then: ir.Scalar, loop: int) -> bool:
    """Return whether a number is made of what a loop changes between its supersteps."""
    of_loop = (each for each in leaves_in(then) if isinstance(each, ir.Carried | ir.Step))
    return any(each.loop == loop for each in of_loop)


def replaced(part: Any, names: dict[ir.Carried, ir.Scalar]) -> Any:
    """Return a part of a trace with numbers replaced by others, the very object if it has none."""
    if not names:
        return part
    if isinstance(part, ir.Carried):
        return names.get(part, part)
    if isinstance(part, tuple):
        kept = (each for each in part if not _is_handed_on(each, names))
        made = tuple(replaced(each, names) for each in kept)
        is_same = len(made) == len(part) and all(a is b for a, b in zip(made, part, strict=True))
        return part if is_same else made
    if isinstance(part, dict):
        return {name: replaced(each, names) for name, each in part.items()}
    if isinstance(part, ir.Operation | ir.Node | ir.Domain):
        parts = {name: replaced(each, names) for name, each in vars(part).items()}
        changed = any(each is not vars(part)[name] for name, each in parts.items())
        return dataclasses.replace(part, **parts) if changed else part
    return part


def _is_handed_on(part: Any, names: dict[ir.Carried, ir.Scalar]) -> bool:
    """Return whether a part is what a loop says of a number that is replaced."""
    return isinstance(part, tuple) and len(part) == 3 and part[0] in names and part[1] is None
