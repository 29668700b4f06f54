"""How threads walk over ids: a stride apart, several at a time, or again and again.

A thread waits for a load when it first uses what was loaded, and loads behind that point wait with
it. Written as the program says it, an element's fields are loaded one after another. All loads by
the element's own index can go first (`Early`); they change nothing, and are repeated from memory
once the statements have stored to their array. Those of several elements are under way at once.

In a sweep every thread goes over its own elements until none of them waits any more (`repeated`).
No barrier comes between an element that waits and the one that it waits for: as soon as that one
has written, the next look sees it. All threads are on the GPU at once, so whoever is waited for
gets its turn. After some tries the loop goes on behind a barrier, where it can be called off. Which
launches may look again, `passes.prepare_pulls` says; those of pulls are in `pull_rounds`.

Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from emv.codegen.effects import SHARED, access_of
from emv.codegen.queues import Queue
from emv.codegen.quote import quote, quoted
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Walk:
    """A walk over all ids.

    Attributes
    ----------
    name : str
        What the body calls the id.
    count : Node
        How many there are.
    body : tuple of Statement
        What is done with one.
    together : tuple of Statement
        What the lanes of a warp begin each round with, where they do it side by side.
    """

    name: str
    count: n.Node
    body: n.Block
    together: n.Block = ()

    def block(self, number: str) -> n.Block:
        """Return the walk, several ids at a time where that pays."""
        made = several(self.body, self.name)
        if made is None:
            return strided(self.name, self.count, n.Name("k"), self.body, number, self.together)
        return self.by_several(made, TOGETHER, number)

    def by_several(self, made: n.Block, at_once: int, number: str) -> n.Block:
        """Return the walk of which a round does so many ids."""
        if not self.together:
            return looped(self.count, made, number, f"k_{at_once - 1} + stride")
        inner = (*self.together, n.If(quoted("k < size", {}), made))
        return looped(self.count, inner, number, f"k + stride * {at_once}", "k - lane < size")


def strided(
    name: str,
    count: n.Node,
    source: n.Node,
    body: n.Block,
    number: str,
    together: n.Block = (),
) -> n.Block:
    """Return a walk, one id at a time."""
    inner: n.Block = (let(name, source), *body)
    if not together:
        return looped(count, inner, number, "k + stride")
    inner = (*together, n.If(quoted("k < size", {}), inner))
    return looped(count, inner, number, "k + stride", "k - lane < size")


def looped(
    count: n.Node, body: n.Block, number: str, next_k: str, test: str = "k < size"
) -> n.Block:
    """Return a loop over ``k`` below a count."""
    if is_large(count):
        number = "np.uint64"  # there may be so many that the last step leaves 32 bits
    step = quote(f"k = {number}({next_k})", {})
    return (
        let("size", n.Call(number, (count,))),
        *quote(f"stride = {number}(threads)\nk = {number}(me)", {}),
        n.While(quoted(test, {}), (*body, *step)),
    )


def is_large(count: n.Node) -> bool:
    """Return whether a count may be more than that of vertices."""
    large = (n.Name("NUM_EDGES"), n.Name("NUM_ARCS"))
    return any(
        each in large or (isinstance(each, n.Apply) and each.op == "*") for each in n.inside(count)
    )


def told_apart(first: n.Block, others: tuple[n.Block, ...]) -> tuple[n.Block, ...]:
    """Return other blocks, in which what the first one assigns, too, has other names."""
    taken = n.assigned_in(first)
    own = set[str]().union(*map(n.assigned_in, others))
    names = {name: _other_than(name, taken | own) for name in taken & own}
    return tuple(n.renamed(each, lambda name: names.get(name, name)) for each in others)


def _other_than(name: str, taken: set[str]) -> str:
    tries = (f"{name}_{number}" for number in itertools.count(2))
    return next(each for each in tries if each not in taken)


TOGETHER = 4  # elements whose loads are under way at once
MOST_LINES = 16  # of an element, when several are written one after another

Loads = dict[str, n.Node]


class Early:
    """Takes the loads by an index out of statements.

    Parameters
    ----------
    index : str
        The local that is the element's own index.
    block : tuple of Statement
        All of them.

    Attributes
    ----------
    loads : dict
        The loads that can go first, by the locals that hold them.
    """

    def __init__(self, index: str, block: n.Block) -> None:
        self.index = index
        self.own_names = {index, "k", *assigned_in(block)}
        self.loads: Loads = {}
        self.changed = set(SHARED)

    def block(self, block: n.Block) -> n.Block:
        """Return statements that use the locals, taken one after another."""
        return tuple(map(self.statement, block))

    def statement(self, node: Any) -> n.Statement:
        """Return a statement that uses the locals."""
        match node:
            case n.If(test, then, otherwise):
                test = self.used(test)
                return dataclasses.replace(
                    node, test=test, then=self.block(then), otherwise=self.block(otherwise)
                )
            case n.While(test, body):  # what comes later may come again
                self.changed |= access_of([node]).writes
                return dataclasses.replace(node, test=self.used(test), body=self.block(body))
            case n.For(_, span, body):
                self.changed |= access_of([node]).writes
                span = dataclasses.replace(span, parts=tuple(map(self.used, span.parts)))
                return dataclasses.replace(node, span=span, body=self.block(body))
            case n.Assign(n.Item(whole, index), value):
                target = n.Item(whole, self.used(index))
                made = dataclasses.replace(node, target=target, value=self.used(value))
                self.changed |= access_of([node]).writes
                return made
        self.changed |= access_of([node]).writes
        made_: n.Statement = n.rebuilt(node, self.local)
        return made_

    def used(self, node: n.Node) -> n.Node:
        """Return an expression that uses the locals."""
        self.changed |= access_of([n.Leave("return", node)]).writes
        made: n.Node = n.rebuilt(node, self.local)
        return made

    def local(self, node: Any) -> Any:
        """Return the local of a load by the own index, and everything else as it is."""
        load = node
        match node:
            case n.Apply("if", (n.Item() as load, n.Name(), n.Name(other))) if other == self.index:
                pass  # or the index itself, for all elements alike
        match load:
            case n.Item(n.Array(buffer), index) if self.is_own(index):
                if buffer.name in self.changed:
                    return node
                return n.Name(self.named(buffer.name, node))
        return node

    def named(self, array: str, load: n.Node) -> str:
        """Return the local that holds a load."""
        for name, known in self.loads.items():
            if known == load:
                return name
        name = f"{array}_{self.index}_{len(self.loads)}"
        self.loads[name] = load
        return name

    def is_own(self, index: n.Node) -> bool:
        """Return whether an index is the own one, the one behind it, or so many behind it.

        How many is the same for all elements.
        """
        match index:
            case n.Apply("+", (first, n.Name(text))) if text not in self.own_names:
                return self.is_own(first)
            case n.Apply("+", (first, n.Number(1) | n.Name("ONE"))):
                return self.is_own(first)
            case n.Call("np.int64", (n.Name(text),)) | n.Name(text):
                return text == self.index
        return False


def assigned_in(block: n.Block) -> Iterator[str]:
    """Yield the locals that statements change."""
    for each in n.inside_block(block):
        match each:
            case n.For(name):
                yield name
            case n.Assign(n.Group(parts)):
                yield from (part.text for part in parts if isinstance(part, n.Name))
            case n.Assign(n.Name(text)):
                yield text


def early_loads(block: n.Block, index: str) -> tuple[Loads, n.Block]:
    """Return the loads by an index that can go first, and the statements that use them instead.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> from emv.ir.kernel import Buffer
    >>> arrays = {name: Buffer(name, "scratch") for name in "xy"}
    >>> loads, _ = early_loads(quote("x[v] = y[v] + y[np.int64(v) + 1]", arrays), "v")
    >>> list(loads)
    ['y_v_0', 'y_v_1']
    """
    early = Early(index, block)
    made = early.block(block)
    return early.loads, made


def held_first(loads: Loads) -> n.Block:
    """Return the statements that load early."""
    return tuple(n.Assign(n.Name(name), load) for name, load in loads.items())


def several(block: n.Block, name: str) -> n.Block | None:
    """Return the body of a walk over several elements at a time, or None where it does not pay.

    Parameters
    ----------
    block : tuple of Statement
        What is done with the element ``name``, number ``k`` of ``size``.
    """
    loads, body = early_loads(block, name)
    has_loops = any(isinstance(each, n.While | n.For) for each in n.inside_block(block))
    if not loads or num_lines(block) > MOST_LINES or has_loops:
        return None
    steps, made = next_ids(name, TOGETHER, "")
    for j in range(TOGETHER):
        for local, load in loads.items():
            made.append(let(f"{local}_{j}", of_element(load, name, f"{name}_{j}")))
    for j, k in enumerate(steps):
        inner = [let(name, n.Name(f"{name}_{j}"))]
        inner += [let(local, n.Name(f"{local}_{j}")) for local in loads]
        one = (*inner, *body)
        is_there = n.Apply("<", (n.Name(k), n.Name("size")))
        made += [n.If(is_there, one)] if j else one
    return tuple(made)


def next_ids(name: str, count: int, number: str) -> tuple[list[str], list[n.Statement]]:
    """Return the places of so many elements of a thread, and what says which elements they are.

    Behind the last one it is the first one again. Places are as wide as ``number``, or 64 bits.
    """
    made: list[n.Statement] = []
    steps = ["k", *(f"k_{j}" for j in range(1, count))]
    for before, k in itertools.pairwise(steps):
        made += quote(f"{k} = {number}({before} + stride)", {})
    for j, k in enumerate(steps):
        is_there = n.Apply("<", (n.Name(k), n.Name("size")))
        place = n.Apply("if", (n.Name(k), is_there, n.Name("k"))) if j else n.Name(k)
        made.append(let(f"{name}_{j}", place))
    return steps, made


def let(name: str, value: n.Node) -> n.Assign:
    """Return the assignment of a local."""
    return n.Assign(n.Name(name), value)


def of_element(node: n.Node, name: str, other: str) -> n.Node:
    """Return a load of another element."""
    made: n.Node = n.rebuilt(node, lambda each: n.Name(other) if each == n.Name(name) else each)
    return made


def num_lines(block: n.Block) -> int:
    """Return how many lines a block takes."""
    return sum(_lines_of(each) for each in block)


def _lines_of(node: Any) -> int:
    if not isinstance(node, n.If):
        return 1
    is_elif = len(node.otherwise) == 1 and isinstance(node.otherwise[0], n.If)
    rest = num_lines(node.otherwise) + (bool(node.otherwise) and not is_elif)
    return 1 + num_lines(node.then) + rest


def seen_fresh(launch: s.Launch | None) -> dict[tuple[str, str], bool]:
    """Return the columns that change while elements look again, and whether others change them."""
    if launch is None or not launch.again:
        return {}
    foreign: dict[tuple[str, str], bool] = {}
    pulls = launch.receive is not None and launch.again == "receivers"
    looking = launch.receive.function if pulls and launch.receive else launch.send
    for each in looking.effects.writes:
        key = (each.kind, each.field)
        foreign[key] = foreign.get(key, False) or each.where not in ("own", "link")
    return foreign


@contextlib.contextmanager
def repeated(worker: Any, queue: Queue | None, name: str, count: str) -> Iterator[None]:
    """Write the walk over ``count`` ids or a queue, again and again over those that wait."""
    writer, votes = worker.writer, "keep_going" in worker.votes
    place = "base + first * stride" if queue is None else f"{queue.name}[base + first * stride]"
    take = ["first = lowest_of({0})", "{0} &= {0} - ONE", f"{name} = {worker.number}({place})"]
    writer.add(f"size = np.uint64({queue.length if queue is not None else count})")
    writer.add("stride = np.uint64(threads)")
    writer.add("base = np.uint64(me)")
    writer.add("unsettled = 0")
    with writer.block("while base < size:"):
        writer.add("waiting = share_of(base, stride, size)")
        writer.add("tries = tries_of(stride, size)")
        worker.first_look = "is_first"
        writer.add("is_first = True")
        with writer.block("while waiting != 0 and tries > 0:"):
            writer.add("tries -= 1")
            writer.add("rest = waiting")
            with writer.block("while rest != 0:"):
                for line in take:
                    writer.add(line.format("rest"))
                writer.add("again = 0")
                if votes:
                    writer.add("keep_going = 0")
                begin = writer.mark()
                yield
                read_own_early(writer, name, begin)
                with writer.block(f"if again == 0{' and keep_going == 0' * votes}:"):
                    writer.add("waiting ^= ONE << first")
            writer.add("is_first = False")
        with writer.block("while waiting != 0:"):
            for line in take:
                writer.add(line.format("waiting"))
            writer.add("unsettled = 1")
            if "activate" in worker.launch.send.effects.acts:
                worker.activate("vertex", name)
        writer.add("base += np.uint64(SHARE) * stride")
    if votes:
        writer.add("keep_going = unsettled")


def read_own_early(writer: Writer, name: str, begin: int) -> None:
    """Let the loads of what nobody else changes of an element go before all that it waits for."""
    loads, block = early_loads(writer.cut(begin), name)
    writer.put((*held_first(loads), *block))
