"""Gather, apply, scatter: GasCL's three phases as three decorators over the same functions.

A superstep scatters messages, gathers those that a vertex received, and applies what came of them
to its value. Each phase is a function of the language: `scatter` makes an `@edge`, `@elist` or
`@vertex` function, as its parameters say, `gather` a `@vertex` function of what its operator folds
or an `@mlist` function, `apply` a `@vertex` function. `superstep` calls the three one after
another in a program, whose loop, limit and condition are those of every program. So nothing here
runs in a way of its own, and functions of all kinds can be mixed.

Che: GasCL: A Vertex-Centric Graph Model for GPUs, HPEC 2014.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, overload

from emv.errors import LanguageError, TypeMismatchError
from emv.lang.functions import Function, check_def, hints_of
from emv.lang.outside import MISSING
from emv.lang.records import ListOf
from emv.lang.source import caller_loc, definition_loc
from emv.lang.words import Combiner, combine
from emv.tracebacks import ends_at_caller

__all__ = ["apply", "gather", "scatter", "superstep"]


@ends_at_caller
def scatter(python: Callable[..., Any]) -> Function:
    """Mark a function that sends messages: per vertex with its out-edges, per edge, or per vertex.

    Which of the three its first parameters say: a Vertex record and an EdgeList, as GasCL has it;
    an Edge record alone, which shares the work out better; or a Vertex record alone, which sends
    to all neighbours, ``v.send(x)``, or to any vertex, ``v.send_to(id, x)``.

    Raises
    ------
    LanguageError
        If it decorates anything but a ``def``.
    TypeMismatchError
        If the first parameter is neither a Vertex nor an Edge record.

    Examples
    --------
    >>> from emv import Edge, EdgeList, Vertex, f32
    >>> class Page(Vertex):
    ...     rank: f32 = 1.0
    >>> @scatter
    ... def send_share(v: Page, links: EdgeList[Edge[Page]]):
    ...     for link in links:
    ...         link.send(v.rank / v.out_degree)
    >>> send_share.kind
    'elist'
    """
    check_def("scatter", python)
    assert isinstance(python, types.FunctionType)
    around = sys._getframe(2).f_locals
    hints = hints_of(python, around, definition_loc(python))
    given = [hints.get(name) for name in python.__code__.co_varnames[:2]]
    if getattr(given[0] if given else None, "kind", None) == "edge":
        return Function("edge", python, around)
    listed = len(given) > 1 and isinstance(given[1], ListOf)
    return Function("elist" if listed else "vertex", python, around)


class Gather(Function):
    """A `@vertex` function that folds the messages it is called on; see `gather`."""

    def __init__(
        self, python: types.FunctionType, around: dict[str, Any], fold: Callable[[Any], Any]
    ) -> None:
        super().__init__("vertex", python, around)
        self.fold = fold
        if not self.parameters:
            raise TypeMismatchError(
                f"@gather function {self.name}() has no parameter for what was folded",
                self.loc,
                f"Write: def {self.name}({self.element_names[0]}, received: f32, ...)",
            )

    def __call__(
        self, domain: Any = MISSING, messages: Any = MISSING, *args: Any, **named: Any
    ) -> Any:
        """Fold the messages and apply the function to a domain with the result."""
        if domain is MISSING or messages is MISSING:
            return super().__call__(domain, *args, **named)  # which says what is missing
        return super().__call__(domain, self.fold(messages), *args, **named)


@overload
def gather(operator: Callable[..., Any], /) -> Function: ...
@overload
def gather(
    operator: Combiner, /, *, initial: Any = None
) -> Callable[[Callable[..., Any]], Function]: ...
@overload
def gather(**operators: Combiner) -> Callable[[Callable[..., Any]], Function]: ...
@ends_at_caller
def gather(operator: Any = None, /, *, initial: Any = None, **operators: Combiner) -> Any:
    """Mark a function that takes what a vertex received: folded by an operator, or as a list.

    With an operator, ``@gather(emv.sum)``, the second parameter is the fold: GasCL's
    ``combine_msg_sum()``. With one operator per field of a message record,
    ``@gather(cost=emv.min, count=emv.sum)``, it is a record. Without, ``@gather``, it is a
    MessageList. It is called as ``keep(domain, messages)``; what it returns, `apply` takes.

    Parameters
    ----------
    operator : Combiner, optional
        `emv.sum`, `emv.min` and so on, or what `emv.combiner` made.
    initial : number, optional
        The value every fold starts from, Medusa's ``InitMessageBuffer``.
    **operators : Combiner
        One per field, for messages that are records.

    Raises
    ------
    LanguageError
        If it decorates anything but a ``def``.
    TypeMismatchError
        If the operator is none, or the parameters do not fit.

    Examples
    --------
    >>> import emv
    >>> from emv import MessageList, Vertex, f32
    >>> class Page(Vertex):
    ...     rank: f32 = 1.0
    >>> @gather(emv.sum)
    ... def update_rank(v: Page, received: f32):
    ...     v.rank = 0.15 + 0.85 * received
    >>> @gather
    ... def hear(v: Page, heard: MessageList[f32]):
    ...     return len(heard)
    >>> update_rank.kind, hear.kind
    ('vertex', 'mlist')
    """
    if operators or isinstance(operator, Combiner):
        return _gatherer(operator, initial, operators)
    check_def("gather", operator)
    around = sys._getframe(2).f_locals
    loc = definition_loc(operator)
    if not any(isinstance(each, ListOf) for each in hints_of(operator, around, loc).values()):
        raise LanguageError(
            f"@gather of {operator.__name__}() names no operator, and there is no message list",
            loc,
            "Write @gather(emv.sum), or take the messages one by one: heard: MessageList[f32].",
        )
    return Function("mlist", operator, around)


def _gatherer(
    operator: Any, initial: Any, operators: dict[str, Combiner]
) -> Callable[[Callable[..., Any]], Function]:
    """Return the decorator for functions of folded messages."""
    wrong = [name for name, each in operators.items() if not isinstance(each, Combiner)]
    if wrong or (operators and (operator is not None or initial is not None)):
        raise TypeMismatchError(
            f"@gather takes one operator, or one for each field of a record{_named(wrong)}",
            caller_loc(),
            "Write @gather(emv.min), @gather(emv.min, initial=x) or "
            "@gather(cost=emv.min, count=emv.sum).",
        )

    def fold(messages: Any) -> Any:
        return combine(messages, **operators) if operators else operator(messages, initial=initial)

    @ends_at_caller
    def decorate(python: Callable[..., Any]) -> Function:
        check_def("gather", python)
        assert isinstance(python, types.FunctionType)
        return Gather(python, sys._getframe(2).f_locals, fold)

    return decorate


def _named(wrong: list[str]) -> str:
    return f", which {', '.join(wrong)} is not" if wrong else ""


@ends_at_caller
def apply(python: Callable[..., Any]) -> Function:
    """Mark a function that updates a vertex: a `@vertex` function by the name that GasCL gives it.

    In a `superstep` its second parameter is what the gathering function returned.

    Raises
    ------
    LanguageError
        If it decorates anything but a ``def``.
    TypeMismatchError
        If the first parameter is no Vertex record.

    Examples
    --------
    >>> from emv import Vertex, f32
    >>> class Page(Vertex):
    ...     rank: f32 = 1.0
    >>> @apply
    ... def update_rank(v: Page, received: f32):
    ...     v.rank = 0.15 + 0.85 * received
    """
    check_def("apply", python)
    assert isinstance(python, types.FunctionType)
    return Function("vertex", python, sys._getframe(2).f_locals)


@ends_at_caller
def superstep(
    g: Any,
    scatter: Function,
    gather: Function | Combiner,
    apply: Function | None = None,
    *,
    over: Any = None,
    receivers: bool = False,
) -> Any:
    """Scatter, gather and apply, in a program; return what the last of the three gives.

    Parameters
    ----------
    g
        The program's graph.
    scatter : Function
        Sends; usually a `scatter` function.
    gather : Function or Combiner
        Takes what was received: a `gather` function, or an operator alone, ``emv.sum``, whose
        folds go to `apply`.
    apply : Function, optional
        Takes what `gather` returned. Left out where `gather` updates the vertex itself, as the
        two listings of the paper do.
    over : domain, optional
        Who scatters: ``g.active``, a mask, ``g.only(ids)``. By default all vertices.
    receivers : bool
        Whether only those gather and apply to whom a message was sent; by default all vertices do,
        as in GasCL, and a fold of no messages is the operator's identity.

    Raises
    ------
    TypeMismatchError
        If a phase is missing or is no function of the language.
    EmvError
        As the calls do that it stands for.

    Examples
    --------
    >>> import emv
    >>> from emv import Edge, EdgeList, Graph, Vertex, f32, gas, program
    >>> class Page(Vertex):
    ...     rank: f32 = 1.0
    >>> @gas.scatter
    ... def send_share(v: Page, links: EdgeList[Edge[Page]]):
    ...     for link in links:
    ...         link.send(v.rank / v.out_degree)
    >>> @gas.gather(emv.sum)
    ... def update_rank(v: Page, received: f32):
    ...     v.rank = 0.15 + 0.85 * received
    >>> @program
    ... def pagerank(g, limit=30):
    ...     for _ in g.supersteps(limit):
    ...         gas.superstep(g, send_share, update_rank)
    ...     return g.vertices.rank
    >>> pagerank(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 1])).round(2)
    array([0.64, 1.19, 1.16], dtype=float32)
    """
    _check_phases(scatter, gather, apply)
    messages = scatter(g if over is None else over)
    domain = messages.receivers if receivers else g
    if isinstance(gather, Combiner):
        assert apply is not None
        return apply(domain, gather(messages))
    gathered = gather(domain, messages)
    return gathered if apply is None else apply(domain, gathered)


def _check_phases(scatter: Any, gather: Any, apply: Any) -> None:
    """Refuse phases that are no functions of the language, or that do not go together."""
    takes_messages = isinstance(gather, Combiner | Gather) or (
        isinstance(gather, Function) and gather.kind == "mlist"
    )
    wrong = {
        "scatter": not isinstance(scatter, Function) or isinstance(scatter, Gather),
        "gather": not takes_messages,
        "apply": not isinstance(apply, Function | None) or (apply is not None and _gathers(apply)),
    }
    names = [name for name, is_wrong in wrong.items() if is_wrong]
    if names:
        given = {"scatter": scatter, "gather": gather, "apply": apply}[names[0]]
        raise TypeMismatchError(
            f"gas.superstep: {names[0]}= is no @{names[0]} function, but {given!r}",
            caller_loc(),
            "Hand over decorated functions: gas.superstep(g, send_share, update_rank), or "
            "gas.superstep(g, send_share, emv.sum, update_rank).",
        )
    if isinstance(gather, Combiner) and apply is None:
        raise TypeMismatchError(
            f"gas.superstep: nothing takes what emv.{gather.name} folds",
            caller_loc(),
            f"Add the function that does: gas.superstep(g, {scatter.name}, emv.{gather.name}, "
            "update).",
        )


def _gathers(function: Function) -> bool:
    """Return whether a function takes messages, so that it gathers."""
    return isinstance(function, Gather) or function.kind != "vertex"
