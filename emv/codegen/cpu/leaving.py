"""How the loops of users' functions are left on cores: ``while``, and those that count far.

    while distance > 0 and goes_on(state):

    for k in range(0, tries, 1):
        if rounds_1 & 65535 == 0 and not goes_on(state): break
        rounds_1 += 1

Only a launch that is being left stops them, and what they made is not used. A plain function that
has such a loop, or calls one that has, is told the shared state for it. The rounds of a counted
loop are added up over all that it is run, so that many short ones ask no oftener than a long one;
once it is left they stay, and whoever enters it again leaves it at once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.quote import quote, quoted
from emv.codegen.writer import Buffers
from emv.ir import nodes as n

GOES_ON = "goes_on"
ROUNDS = 2**16  # of a counted loop between two times of asking
COUNT = "rounds_"


def waiting(functions: list[n.Function]) -> set[str]:
    r"""Return the plain functions of the user's that have loops to leave, or call one that has.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> texts = {"f": "x = g(x)", "g": "while x: x = h(x)", "h": "return x"}
    >>> made = [n.Function(name, "", ("x",), (), quote(texts[name], {})) for name in texts]
    >>> sorted(waiting(made))
    ['f', 'g']
    """
    inside = {each.name: list(n.inside_block(each.body)) for each in functions}
    found = {name for name, nodes in inside.items() if any(map(may_last, nodes))}
    while more := {
        name
        for name, nodes in inside.items()
        if name not in found
        and any(isinstance(each, n.Call) and each.function in found for each in nodes)
    }:
        found |= more
    return found


def may_last(node: Any) -> bool:
    """Return whether a statement of a plain function is a loop that may last."""
    return isinstance(node, n.While) or (isinstance(node, n.For) and not counts_few(node.span))


def counts_few(span: n.Call) -> bool:
    """Return whether a ``range`` is known to be short.

    Examples
    --------
    >>> ends = n.Number(0), n.Number(10**9), n.Number(1)
    >>> counts_few(n.Call("range", ends[:1])), counts_few(n.Call("range", ends))
    (True, False)
    """
    bounds = [each.value for each in span.parts if isinstance(each, n.Number)]
    if len(bounds) < len(span.parts) or 0 in bounds[2:]:
        return False
    return len(range(*bounds)) <= ROUNDS


def counts_far(loop: n.For) -> bool:
    """Return whether the user wrote the loop in a function of a kind, and it may count far.

    Of all loops over numbers there only the user's name their step.
    """
    return loop.loc is not None and len(loop.span.parts) == 3 and not counts_few(loop.span)


def names_in(function: n.Function) -> set[str]:
    """Return what a function calls its locals."""
    return n.assigned_in(function.body) | set(function.first)


def apart_from(names: set[str], name: str) -> str:
    """Return a name that begins none of some names.

    Examples
    --------
    >>> apart_from({"state", "rounds_1"}, "rounds_")
    'rounds__'
    """
    while any(each.startswith(name) for each in names):
        name += "_"
    return name


def is_of_user(loop: n.While) -> bool:
    """Return whether the user wrote the loop: others are made of ``for``, and end."""
    return loop.loc is not None and loop.loc.text.lstrip().startswith("while")


def left_early(functions: list[n.Function], told: set[str], buffers: Buffers) -> list[n.Function]:
    """Return functions whose loops that users wrote can be left.

    Parameters
    ----------
    functions : list of Function
        All of the module.
    told : set of str
        The plain functions of the user's that take the state.
    """
    state, known = n.Array(buffers["state"]), {"state": buffers["state"]}
    asks = quoted(f"{GOES_ON}(state)", known)
    counts: list[str] = []  # of rounds, in the function that is changed
    within: list[n.Function] = []

    def asking() -> n.Block:
        """Return what a loop begins its rounds with, which a count of its own adds up."""
        counts.append(f"{apart_from(names_in(within[0]), COUNT)}{len(counts) + 1}")
        return quote(
            f"if {counts[-1]} & {ROUNDS - 1} == 0 and not {GOES_ON}(state): break\n"
            f"{counts[-1]} += 1",
            known,
        )

    def is_far(loop: n.For) -> bool:
        is_plain = within[0].name in told
        return may_last(loop) if is_plain else counts_far(loop)

    def change(node: Any) -> Any:
        match node:
            case n.While(test, body) if is_of_user(node):
                both = n.Apply("and", (n.rebuilt(test, change), asks))
                body = n.rebuilt_all(body, change)
                return n.While(both, body, loc=node.loc, note=node.note)
            case n.For(name, span, body) if is_far(node):
                body = asking() + n.rebuilt_all(body, change)
                span = n.rebuilt(span, change)
                return n.For(name, span, body, loc=node.loc, note=node.note)
            case n.Call(name, parts) if name in told:
                return n.Call(name, (*n.rebuilt_all(parts, change), state))
        return node

    def left(function: n.Function) -> n.Function:
        counts.clear()
        within[:] = [function]
        body = n.rebuilt_all(function.body, change)
        if body is function.body:
            return function
        body = quote("".join(f"{count} = 0\n" for count in counts), known) + body
        arrays = ("state",) if function.name in told else function.arrays
        return dataclasses.replace(function, body=body, arrays=arrays)

    return [left(each) for each in functions]
