"""The whole program, as traced: a tree of calls, folds, fills and loops with a stable text.

Values that exist only while the program runs are named ``%1``, ``%2``, ... in the order in which
the program made them. Scalars are small expression trees over parameters, counters and aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from emv.errors import Loc
from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Scalar:
    """One number of the program: ``type`` is ``i64``, ``f64`` or ``bool``."""

    type: str


@dataclass(frozen=True)
class Number(Scalar):
    """A number written in the program or known while tracing."""

    value: Any

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class ScalarParameter(Scalar):
    """A number passed to the program."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class GraphNumber(Scalar):
    """``num_vertices``, ``num_edges`` or ``num_arcs``."""

    name: str

    def __str__(self) -> str:
        return f"g.{self.name}"


@dataclass(frozen=True)
class Step(Scalar):
    """The superstep number of a loop."""

    loop: int

    def __str__(self) -> str:
        return f"step{self.loop}"


@dataclass(frozen=True)
class Aggregated(Scalar):
    """The result of an `Aggregate`."""

    id: int

    def __str__(self) -> str:
        return f"%{self.id}"


@dataclass(frozen=True)
class Carried(Scalar):
    """A number that a loop carries from superstep to superstep in a variable of the program.

    ``is_next`` names what it will be in the next one, while others are still worked out.
    """

    loop: int
    name: str
    is_next: bool = False

    def __str__(self) -> str:
        return f"{self.name}_{self.loop}" + ("_next" if self.is_next else "")


@dataclass(frozen=True)
class Operation(Scalar):
    """An operation on scalars: an arithmetic or comparison sign, ``not``, ``neg``, ``abs`` ..."""

    op: str
    args: tuple[Scalar, ...]

    def __str__(self) -> str:
        if len(self.args) == 2:
            return f"({self.args[0]} {self.op} {self.args[1]})"
        return f"{self.op}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class Domain:
    """What a call is applied to.

    ``kind`` is ``all`` (vertices, or arcs for an edge function), ``active``, ``active_edges``,
    ``edges`` (each edge once), ``only`` (ids given by ``ids``), ``receivers`` (of messages
    ``source``), ``messages`` (``source`` themselves) or ``mask`` (the vertices in ``mask``).
    """

    kind: str
    source: int | None = None
    ids: Any = None  # a Scalar, an ArrayParameter, or a tuple of ints
    mask: str | None = None  # the name of a mask

    def __str__(self) -> str:
        if self.kind == "mask":
            return f"vertices.{self.mask}"
        if self.kind == "receivers":
            return f"%{self.source}.receivers"
        if self.kind == "messages":
            return f"%{self.source}"
        return f"only({self.ids})" if self.kind == "only" else self.kind


@dataclass(frozen=True)
class ArrayParameter:
    """An array passed to the program."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ref:
    """A value per vertex (or messages) made by an earlier node."""

    id: int

    def __str__(self) -> str:
        return f"%{self.id}"


@dataclass(frozen=True)
class Column:
    """A column by its kind (``vertex`` or ``edge``) and name; ``id`` is the element's number."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{'vertices' if self.kind == 'vertex' else 'edges'}.{self.name}"


@dataclass(frozen=True)
class Node:
    """A node of the program and the user's line it came from."""

    loc: Loc


@dataclass(frozen=True)
class Apply(Node):
    """``function(domain, ...)``; ``id`` names what it sends and returns.

    ``function`` is the user's `Function`, ``args`` maps its parameters to `Scalar` or `Ref`.
    """

    id: int
    function: Any
    domain: Domain
    args: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        text = f"%{self.id} = {self.function.kind:<6} {self.function.name} over {self.domain}"
        if self.args:
            text += " with " + ", ".join(f"{name}={value}" for name, value in self.args)
        return text


@dataclass(frozen=True)
class Combine(Node):
    """Fold messages (``source`` a `Ref`) or an edge column into one value per vertex.

    ``ops`` holds one operator for the whole message, or one per field.
    """

    id: int
    ops: tuple[Any, ...]
    source: Any  # Ref to an Apply, or Column of edges
    initial: Any = None  # Scalar, one per component, or None
    by: str | None = None

    def __str__(self) -> str:
        ops = ", ".join(op.name for op in self.ops)
        text = f"%{self.id} = combine {ops} {self.source}"
        text += f" by {self.by}" if self.by else ""
        if self.initial is None:
            return text
        parts = self.initial if isinstance(self.initial, tuple) else (self.initial,)
        return text + f" initial {', '.join(map(str, parts))}"


@dataclass(frozen=True)
class Aggregate(Node):
    """Fold the values of all instances, or a column, into one scalar."""

    id: int
    op: str  # total, largest, smallest, count
    source: Ref | Column

    def __str__(self) -> str:
        return f"%{self.id} = {self.op} {self.source}"


@dataclass(frozen=True)
class Fill(Node):
    """``column[:] = value``: a scalar, another column, the ids, or a value per vertex."""

    column: Column
    value: Any  # Scalar, Column or Ref

    def __str__(self) -> str:
        return f"fill   {self.column}[:] = {self.value}"


@dataclass(frozen=True)
class Loop(Node):
    """``for step in g.supersteps(limit, until=...)``, or ``for _ in g.sweeps()``.

    ``in_place`` is a loop of sweeps, whose functions may see what others have just written.
    ``by_votes`` says whether the loop repeats only while somebody kept going or activated; a loop
    without such words repeats until its limit, its ``until`` or a halt. ``carried`` holds the
    numbers that it hands on: (which, what it is at first, what it becomes after a superstep). What
    nothing gave a value before the loop is nothing at first.
    """

    id: int
    limit: Scalar
    until: Scalar | None
    body: tuple[Node, ...]
    by_votes: bool
    carried: tuple[tuple[Carried, Scalar | None, Scalar], ...] = ()
    in_place: bool = False

    def __str__(self) -> str:
        limit = "none" if self.limit == Number("i64", NO_LIMIT) else str(self.limit)
        text = "loop   in place" if self.in_place else f"loop   limit={limit}"
        text += f" until={self.until}" if self.until is not None else ""
        for each, first, then in self.carried:
            text += f" {each}{'' if first is None else f'={first}'} then {then}"
        return text + ("" if self.by_votes else " whatever the votes")


def is_sure(limit: Scalar) -> bool:
    """Return whether a loop with a limit is known to run a superstep at least."""
    return isinstance(limit, Number) and limit.value > 0


NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Program:
    """A traced program.

    Attributes
    ----------
    name : str
        Of the program function.
    body : tuple of Node
        In order.
    results : Any
        What the program returns: a Column, Scalar or Ref, or a tuple or dict of them.
    fields : dict
        ``(kind, name)`` of every column it touches to the declaring `Field`.
    bindings : dict
        ``(kind, name)`` of a column to the program parameter that supplies it.
    must_run : tuple of Loop
        The loops that must run a superstep, as what they give is used after them, and whose limits
        are known only when a run begins.
    """

    name: str
    body: tuple[Node, ...]
    results: Any
    fields: dict[tuple[str, str], Any]
    bindings: dict[tuple[str, str], str]
    loc: Loc
    must_run: tuple[Loop, ...] = ()

    def __str__(self) -> str:
        lines = [f"program {self.name}"]
        lines += _block_text(self.body, 1)
        lines.append(f"    return {_result_text(self.results)}")
        return "\n".join(lines) + "\n"


def _block_text(block: tuple[Node, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for node in block:
        lines.append("    " * depth + str(node))
        if isinstance(node, Loop):
            lines += _block_text(node.body, depth + 1)
    return lines


def _result_text(results: Any) -> str:
    if isinstance(results, tuple):
        return ", ".join(map(_result_text, results))
    if isinstance(results, dict):
        return ", ".join(f"{name}={_result_text(value)}" for name, value in results.items())
    return str(results)


def changed_results(results: Any, change: Callable[[Any], Any]) -> Any:
    """Return what a program returns with every value changed, inside tuples and dicts too."""
    if isinstance(results, tuple | list):
        return tuple(changed_results(each, change) for each in results)
    if isinstance(results, dict):
        return {name: changed_results(each, change) for name, each in results.items()}
    return change(results)


def results_in(results: Any) -> Iterator[Any]:
    """Yield what a program returns, inside tuples and dicts too."""
    if isinstance(results, tuple | list | dict):
        for each in results.values() if isinstance(results, dict) else results:
            yield from results_in(each)
    else:
        yield results


def nodes_in(block: tuple[Node, ...]) -> list[Node]:
    """Return every node of a block, those inside loops included, in order."""
    found: list[Node] = []
    for node in block:
        found.append(node)
        if isinstance(node, Loop):
            found.extend(nodes_in(node.body))
    return found
