"""The words of the language that are not decorators: combiners, aggregators, votes, draws.

Inside a compiled function these are syntax and never called. They are called for real in two
places: in a program function, where they hand their argument the job (messages know how to combine
themselves, traced or eager), and in eager runs, where they ask who is running.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.errors import LanguageError, Loc, TypeMismatchError
from emv.lang.source import caller_loc, column_of
from emv.tracebacks import ends_at_caller

# The one global of emv: `Record.at`, votes and draws in an eager function need the running run.
RUNNING: ContextVar[Any] = ContextVar("emv_running", default=None)


def running(word: str) -> Any:
    """Return the eager run whose function is under way, or explain that ``word`` needs one."""
    run = RUNNING.get()
    if run is None or run.call is None:
        raise LanguageError(
            f"{word}() was called outside a user function",
            caller_loc(2),
            "It belongs inside a function decorated with @vertex, @edge, @elist, @mlist or "
            "@message that a program applies.",
        )
    return run


@dataclass(frozen=True)
class Combiner:
    """An operator that folds the messages of a receiver into one value.

    Called on messages (``emv.min(paths)``) it gives one value per receiver; called on an edge
    column with ``by="src"`` or ``by="dst"`` it folds the column per vertex; called on two or more
    numbers inside a user function it is the plain operator.

    Parameters of the call
    ----------------------
    messages : messages or edge column
        What is folded. Tuples and message records compare in order for ``min`` and ``max``;
        ``sum``, ``prod`` and ``bitwise_or`` work field by field.
    initial : number, tuple or message record, optional
        What every receiver starts from (Medusa's ``InitMessageBuffer``); the operator's identity
        when left out. It counts once per receiver, however many messages could have come, and is
        what a vertex without messages gets. Messages that are tuples or records start from a tuple
        or record, ``emv.min(offers, initial=(inf, -1))``; one number then counts for every part.
    by : str, optional
        ``"src"`` or ``"dst"``, for edge columns only.
    """

    name: str
    function: Callable[[Any, Any], Any] = field(repr=False)
    identity: Any = None
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __call__(
        self, messages: Any, *more: Any, initial: Any = None, by: str | None = None
    ) -> Any:
        """Fold messages, an edge column, or plain numbers."""
        if more:
            result = messages
            for each in more:
                result = self.of_two(result, each)
            return result
        if not hasattr(messages, "combine"):
            raise TypeMismatchError(
                f"emv.{self.name} folds messages or an edge column, not {messages!r}",
                caller_loc(),
                "Hand it what an @edge, @elist or @vertex function sent: "
                f"emv.{self.name}(offers). For one number over all instances use emv.total, "
                "emv.largest, emv.smallest or emv.count.",
            )
        return messages.combine(self, initial=initial, by=by)

    def of_two(self, first: Any, second: Any) -> Any:
        """Return the operator of two numbers; of what exists only in a run, what will give it."""
        if self in (min, max):
            for one, other, swapped in ((first, second, False), (second, first, True)):
                if hasattr(one, "smaller_or_larger"):
                    return one.smaller_or_larger(self.name, other, swapped)
        return self.function(first, second)


sum = Combiner("sum", lambda a, b: a + b, 0)
prod = Combiner("prod", lambda a, b: a * b, 1)
min = Combiner("min", lambda a, b: b if b < a else a)
max = Combiner("max", lambda a, b: b if b > a else a)
any = Combiner("any", lambda a, b: bool(a or b), False)
all = Combiner("all", lambda a, b: bool(a and b), True)
bitwise_or = Combiner("bitwise_or", lambda a, b: a | b, 0)


@ends_at_caller
def combiner(function: Callable[[Any, Any], Any], identity: Any) -> Combiner:
    """Return a Combiner made of a user's function of two values.

    Parameters
    ----------
    function : callable
        Takes two values and returns one of their type; must be associative, as messages are folded
        in groups. Each receiver's messages are folded in slot order, starting from ``identity``.
    identity : number or tuple
        What every group begins with: ``function(identity, x)`` is ``x``.

    Raises
    ------
    LanguageError
        When it is first used on messages of a type, if samples of the type show that it is not
        associative (floats: but for rounding), that the identity changes them, that it returns
        another type, or if it raises. Samples that the identity changes do not count as long as
        others are left: where 10**9 means "none yet", no larger number is sent. Also if the
        function names what compiled code cannot take along, a list or a function of yours.

    Examples
    --------
    >>> nearer_to_ten = combiner(lambda a, b: a if abs(a - 10) <= abs(b - 10) else b, 1e9)
    >>> nearer_to_ten(3.0, 12.0)
    12.0

    A mean is no combiner, as ``f(f(0, 1), 3)`` and ``f(0, f(1, 3))`` differ. A sum and a count are:

    >>> both = combiner(lambda a, b: (a[0] + b[0], a[1] + b[1]), (0.0, 0))
    >>> both((2.5, 1), (0.5, 1))
    (3.0, 2)
    """
    loc = caller_loc()
    if not isinstance(function, types.FunctionType):
        raise TypeMismatchError(
            f"emv.combiner takes a function of two values, not {function!r}",
            loc,
            "Write emv.combiner(lambda a, b: ..., identity).",
        )
    if function.__name__ == "<lambda>":  # a name that kernels can carry
        code, around, defaults = function.__code__, function.__globals__, function.__defaults__
        name = f"fold_of_line_{code.co_firstlineno}_{column_of(code)}"
        function = types.FunctionType(code, around, name, defaults, function.__closure__)
    return Combiner(function.__name__, function, identity, loc)


def combine(messages: Any, /, initial: Any = None, **operators: Combiner) -> Any:
    """Fold the fields of message records, each with an operator of its own.

    Parameters
    ----------
    messages : messages
        Messages that are records.
    initial : message record, tuple or number, optional
        What every receiver starts from, as for `Combiner`: ``initial=News(0, best=10.0)``.
    **operators
        ``field=emv.sum`` and so on; every field of the record exactly once.

    Examples
    --------
    In a program: ``news = emv.combine(tell(g), count=emv.sum, best=emv.min)``.
    """
    if not hasattr(messages, "combine_fields"):
        raise TypeMismatchError(
            f"emv.combine folds messages that are records, not {messages!r}",
            caller_loc(),
            "Send a record, e.send(News(...)), and hand over what the call gives.",
        )
    if isinstance(initial, Combiner):  # of a field that is called so
        operators, initial = {**operators, "initial": initial}, None
    return messages.combine_fields(operators, initial)


def _aggregate(word: str, values: Any) -> Any:
    if not hasattr(values, "aggregate"):
        raise TypeMismatchError(
            f"emv.{word} takes the values that a function returned, or a column, not {values!r}",
            caller_loc(2),
            "Return a value from a @vertex or @edge function and hand over what the call gives: "
            f"emv.{word}(size_of(g)).",
        )
    return values.aggregate(word)


def total(values: Any) -> Any:
    """Return the sum of the values of all instances; floats are summed in double precision.

    Examples
    --------
    >>> from emv import Graph, Vertex, program, vertex
    >>> @vertex
    ... def links(v: Vertex):
    ...     return v.out_degree
    >>> @program
    ... def num_links(g):
    ...     return total(links(g))
    >>> num_links(Graph.from_edges([0, 0], [1, 2]), backend="python")
    2
    """
    return _aggregate("total", values)


def largest(values: Any) -> Any:
    """Return the largest value of all instances; of none, the smallest value of the type.

    Examples
    --------
    >>> from emv import Graph, Vertex, program, vertex
    >>> @vertex
    ... def links(v: Vertex):
    ...     return v.out_degree
    >>> @program
    ... def most_links(g):
    ...     return largest(links(g))
    >>> most_links(Graph.from_edges([0, 0], [1, 2]), backend="python")
    2
    """
    return _aggregate("largest", values)


def smallest(values: Any) -> Any:
    """Return the smallest value of all instances; of none, the largest value of the type.

    Examples
    --------
    >>> from emv import Graph, Vertex, program, vertex
    >>> @vertex
    ... def links(v: Vertex):
    ...     return v.out_degree
    >>> @program
    ... def fewest_links(g):
    ...     return smallest(links(g))
    >>> fewest_links(Graph.from_edges([0, 1, 1], [1, 0, 0]), backend="python")
    1
    """
    return _aggregate("smallest", values)


def count(values: Any) -> Any:
    """Return how many instances returned something other than zero or False.

    Examples
    --------
    >>> from emv import Graph, Vertex, program, vertex
    >>> @vertex
    ... def links(v: Vertex):
    ...     return v.out_degree
    >>> @program
    ... def num_linking(g):
    ...     return count(links(g))
    >>> num_linking(Graph.from_edges([0, 0], [1, 2]), backend="python")
    1
    """
    return _aggregate("count", values)


def keep_going() -> None:
    """Vote that the innermost loop runs another superstep.

    Said by any instance of a user function, for whoever is not settled yet. A loop that has heard
    neither this vote nor an ``activate()`` in a superstep ends.
    """
    running("emv.keep_going").keep_going()


def halt() -> None:
    """Vote that the innermost loop ends after this superstep, whoever wants to go on.

    The rest of the superstep still runs; ``Run.stopped`` is then ``"halt"``.
    """
    running("emv.halt").halt()


def random(*name: int) -> float:
    """Draw an f64 in [0, 1): a function of seed, superstep, element id and call number.

    The same on every backend and under every schedule. The bits are those of Philox4x32-10
    (Salmon et al., SC 2011).

    Parameters
    ----------
    *name : int
        One whole number of 64 bits, and one of 32, on which the draw then depends instead, wherever
        it stands: ``emv.random(e.id)`` is the same in every function, superstep and loop.
    """
    return np.float64(running("emv.random").random(*name))


def randint(bound: int) -> int:
    """Draw an integer in ``range(bound)`` in the manner of `random`."""
    return int(running("emv.randint").randint(bound))


def add_vertex(**fields: Any) -> int:
    """Add a vertex to the graph and return its id, which can be sent and linked to at once.

    The vertex is there from the next superstep on. Inside a user function it stands alone, as in
    ``new = emv.add_vertex(rank=1.0)``.

    Parameters
    ----------
    **fields : number
        Its vertex columns; those that are left out take the defaults of the records.

    Examples
    --------
    >>> from emv import Graph, Vertex, program, vertex
    >>> @vertex
    ... def split(v: Vertex):
    ...     new = add_vertex()
    ...     v.add_edge(new)
    >>> @program
    ... def twice_as_many(g):
    ...     split(g)
    >>> twice_as_many.run(Graph.from_edges([0], [1]), backend="python").graph.arcs()
    (array([0, 0, 1], dtype=int32), array([1, 2, 3], dtype=int32))
    """
    return int(running("emv.add_vertex").changes.add_vertex(fields))


def union(first: Any, second: Any) -> None:
    """Join the sets of two vertices: ``emv.union(e.src.group, e.dst.group)``.

    The result does not depend on the order of the joins: a set is named by its smallest vertex.
    """
    running("emv.union").union(first, second)


def find(member: Any) -> int:
    """Return the smallest vertex id of a member's set, as it was before the call."""
    return int(running("emv.find").find(member))


__all__ = [
    "Combiner",
    "add_vertex",
    "bitwise_or",
    "combine",
    "combiner",
    "count",
    "find",
    "halt",
    "keep_going",
    "largest",
    "randint",
    "random",
    "smallest",
    "total",
    "union",
]
