"""How the loops of users' functions are left: ``while``, and those that count or walk far.

    while distance > 0 and goes_on(state):                             # on cores

    for k in range(0, tries, 1):
        if rounds_1 & 65535 == 0 and not goes_on(state): break
        rounds_1 += 1

    while distance > 0:                                                # on a GPU
        rounds_1 = np.int32(0)
        while rounds_1 < 512 and distance > 0:
            rounds_1 = np.int32(rounds_1 + 1)
        if rounds_1 == 512 and not goes_on(state, LEAVING): break

    rounds_1 = np.int32(0)
    for k in range(0, tries, 1):
        if rounds_1 & 511 == 511 and not goes_on(state, LEAVING): break
        rounds_1 = np.int32(rounds_1 + 1)

Only a launch that is being left stops them, and what they made is not used. A plain function that
has such a loop, or calls one that has, is told the shared state for it.

On cores asking is a load from the cache. The rounds of a counted loop are added up over all that it
is run, so that many short ones ask no oftener than a long one; once it is left they stay, and
whoever enters it again leaves it at once. On a GPU asking is a way to the cache of all
multiprocessors, and a count that outlives its loop would take a register of every thread: rounds
are counted anew where a loop is entered, and few, as a round takes a thread longer there. A
``while`` that the user does not leave by ``break`` is cut into stretches, so that its rounds, of
which there are mostly a few, only count: that takes half of what asking in each of them costs.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.quote import quote, quoted
from emv.codegen.writer import Buffers
from emv.ir import nodes as n
from emv.ir.frozen import dataclass

GOES_ON = "goes_on"
COUNT = "rounds_"


@dataclass(frozen=True)
class Asking:
    """How loops of a target ask whether the launch is being left.

    Attributes
    ----------
    text : str
        What they ask.
    rounds : int
        Of a counted loop between two times of asking; a power of two.
    rounds_around : int
        The same of a loop in which others stand, which may take as many rounds without asking.
    on_cores : bool
        Whether a ``while`` asks in every round, and counts are those of the whole function.
    """

    text: str
    rounds: int
    rounds_around: int
    on_cores: bool

    def waiting(self, functions: list[n.Function]) -> set[str]:
        r"""Return the plain functions of the user's that have loops to leave, or call such.

        Examples
        --------
        >>> texts = {"f": "x = g(x)", "g": "while x: x = h(x)", "h": "return x"}
        >>> made = [n.Function(name, "", ("x",), (), quote(texts[name], {})) for name in texts]
        >>> sorted(ON_CORES.waiting(made))
        ['f', 'g']
        """
        inside = {each.name: list(n.inside_block(each.body)) for each in functions}
        found = {name for name, nodes in inside.items() if any(map(self.may_last, nodes))}
        while more := {
            name
            for name, nodes in inside.items()
            if name not in found and any(calls(each, found) for each in nodes)
        }:
            found |= more
        return found

    def may_last(self, node: Any) -> bool:
        """Return whether a statement of a plain function is a loop that may last."""
        return isinstance(node, n.While) or (isinstance(node, n.For) and not self.is_few(node))

    def rounds_of(self, loop: Any) -> int:
        """Return how many rounds a loop may take between two times of asking."""
        return self.rounds_around if has_loops(loop.body) else self.rounds

    def is_few(self, loop: n.For) -> bool:
        """Return whether a loop is known to be short.

        Examples
        --------
        >>> ends = n.Number(0), n.Number(10**9), n.Number(1)
        >>> loops = [n.For("k", n.Call("range", ends[:many]), ()) for many in (1, 3)]
        >>> [ON_CORES.is_few(loop) for loop in loops]
        [True, False]
        """
        bounds = [each.value for each in loop.span.parts if isinstance(each, n.Number)]
        if len(bounds) < len(loop.span.parts) or 0 in bounds[2:]:
            return False
        return len(range(*bounds)) <= self.rounds_of(loop)

    def is_far(self, node: Any) -> bool:
        """Return whether a statement of a function of a kind is a loop of the user's that may last.

        Of all loops over numbers only the user's name their step; others walk over links or
        messages, which does not take long unless loops stand in them.
        """
        if not isinstance(node, n.For) or node.loc is None or self.is_few(node):
            return isinstance(node, n.While) and is_of_user(node)
        return len(node.span.parts) == 3 or has_loops(node.body)

    def asks(self, body: n.Block, told: set[str]) -> bool:
        """Return whether a function of a kind has loops to leave, or calls what has."""
        return any(self.is_far(each) or calls(each, told) for each in n.inside_block(body))


ON_CORES = Asking(f"{GOES_ON}(state)", 2**16, 2**8, on_cores=True)
ON_GPU = Asking(f"{GOES_ON}(state, LEAVING)", 2**9, 2**5, on_cores=False)


def calls(node: Any, names: set[str]) -> bool:
    """Return whether a node is a call of one of some functions."""
    return isinstance(node, n.Call) and node.function in names


def has_loops(body: n.Block) -> bool:
    """Return whether loops of the user's stand in a block."""
    nodes = n.inside_block(body)
    return any(isinstance(each, n.For | n.While) and each.loc is not None for each in nodes)


def has_leaves(body: n.Block) -> bool:
    """Return whether something leaves a block before its end."""
    return any(isinstance(each, n.Leave) for each in n.inside_block(body))


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


def left_early(
    functions: list[n.Function], told: set[str], buffers: Buffers, asking: Asking
) -> list[n.Function]:
    """Return functions whose loops that users wrote can be left.

    Parameters
    ----------
    functions : list of Function
        All of the module.
    told : set of str
        The plain functions of the user's that take the state.
    asking : Asking
        How loops ask.
    """
    return [_Leaving(each, told, buffers, asking).left() for each in functions]


class _Leaving:
    """Lets the loops of one function be left."""

    def __init__(
        self, function: n.Function, told: set[str], buffers: Buffers, asking: Asking
    ) -> None:
        self.function, self.told, self.asking = function, told, asking
        self.known = {"state": buffers["state"]}
        self.stem = apart_from(n.assigned_in(function.body) | set(function.first), COUNT)
        self.counts: list[str] = []  # of rounds
        self.is_last = asking.may_last if function.name in told else asking.is_far

    def left(self) -> n.Function:
        """Return the function."""
        function = self.function
        body = self.block(function.body)
        if body == function.body:
            return function
        if self.asking.on_cores:
            body = self.made("".join(f"{count} = 0\n" for count in self.counts)) + body
        arrays = ("state",) if function.name in self.told else function.arrays
        return dataclasses.replace(function, body=body, arrays=arrays)

    def made(self, text: str) -> n.Block:
        """Return statements."""
        return quote(text, self.known)

    def block(self, block: n.Block) -> n.Block:
        """Return a block with what its loops ask."""
        made: list[n.Statement] = []
        for each in block:
            made += self.statement(each)
        return tuple(made)

    def statement(self, node: Any) -> n.Block:
        """Return what becomes of a statement; a count of a GPU begins before its loop."""
        match node:
            case n.If(test, then, otherwise):
                changed = dataclasses.replace(node, then=self.block(then))
                changed = dataclasses.replace(changed, otherwise=self.block(otherwise))
                return (dataclasses.replace(changed, test=self.expression(test)),)
            case n.While(test, body):
                test, is_last = self.expression(test), self.is_last(node) and is_of_user(node)
                if is_last and self.asking.on_cores:
                    test = n.Apply("and", (test, quoted(self.asking.text, self.known)))
                    return (dataclasses.replace(node, test=test, body=self.block(body)),)
                node = dataclasses.replace(node, test=test)
                if not is_last:
                    return (self.inside(node),)
                return self.counted(node) if has_leaves(body) else (self.in_stretches(node),)
            case n.For(_, span, _):
                node = dataclasses.replace(node, span=self.expression(span))
                return self.counted(node) if self.is_last(node) else (self.inside(node),)
        return (self.expression(node),)

    def expression(self, node: Any) -> Any:
        """Return a node whose calls of what is told the state hand it on."""

        def change(each: Any) -> Any:
            if not calls(each, self.told):
                return each
            state = n.Array(self.known["state"])
            return n.Call(each.function, (*n.rebuilt_all(each.parts, change), state))

        return n.rebuilt(node, change) if self.told else node

    def inside(self, loop: Any, first: n.Block = ()) -> n.Statement:
        """Return a loop with what the loops in it ask."""
        changed: n.Statement = dataclasses.replace(loop, body=first + self.block(loop.body))
        return changed

    def in_stretches(self, loop: n.While) -> n.Statement:
        """Return a loop that asks behind so many of its rounds."""
        count, most = self.counted_by(), self.asking.rounds_of(loop)
        one_more: Any = self.inside(loop, self.made(f"{count} = np.int32({count} + 1)"))
        is_short = n.Apply("<", (n.Name(count), n.Number(most)))
        stretch = dataclasses.replace(one_more, test=n.Apply("and", (is_short, loop.test)))
        before = self.made(f"{count} = np.int32(0)")
        behind = self.made(f"if {count} == {most} and not {self.asking.text}: break")
        return n.While(loop.test, (*before, stretch, *behind))

    def counted_by(self) -> str:
        """Return the name of the count of a loop's rounds."""
        self.counts.append(f"{self.stem}{len(self.counts) + 1}")
        return self.counts[-1]

    def counted(self, loop: Any) -> n.Block:
        """Return a loop that begins some of its rounds by asking, and what stands before it."""
        count = self.counted_by()
        last, ask = self.asking.rounds_of(loop) - 1, self.asking.text
        if self.asking.on_cores:
            first = f"if {count} & {last} == 0 and not {ask}: break\n{count} += 1"
            return (self.inside(loop, self.made(first)),)
        first = f"if {count} & {last} == {last} and not {ask}: break\n"
        first += f"{count} = np.int32({count} + 1)"
        return (*self.made(f"{count} = np.int32(0)"), self.inside(loop, self.made(first)))
