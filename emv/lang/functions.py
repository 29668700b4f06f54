"""The five decorators and what they make: a `Function` that a program applies to a domain.

Medusa's API names are kept (Zhong & He, TPDS 2014, table 1): one instance per edge, per out-edge
list, per vertex, per message list, per message. The source is read and checked when the function
is first used, so helpers may be defined below it.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emv.errors import LanguageError, Loc, TypeMismatchError, did_you_mean
from emv.ir.types import Type
from emv.lang.annotated import annotated_type, message_type
from emv.lang.outside import MISSING, meaning, same, seen
from emv.lang.records import ListOf, RecordType
from emv.lang.source import Source, caller_loc, definition_loc, parameter_loc, read_source
from emv.tracebacks import ends_at_caller

if TYPE_CHECKING:
    from emv.ir import body as ir
    from emv.lang.analysis import Analysis
    from emv.lang.effects import Effects

_FIRST = {
    "vertex": ("a Vertex record", "v: Place"),
    "edge": ("an Edge record", "e: Road"),
    "elist": ("a Vertex record, then an EdgeList", "v: Page, links: EdgeList[Edge[Page]]"),
    "mlist": ("a Vertex record, then a MessageList", "v: Page, heard: MessageList[f32]"),
    "message": ("a Message", "m: Message[f32]"),
}

_TOO_MUCH = "Leave out what is too much."


@dataclass(frozen=True)
class Parameter:
    """A parameter after the element: its name, its type and its record when it is a message."""

    name: str
    type: Type
    record: Any = None


CHANGING = frozenset({"add_edge", "add_vertex", "clear_edges", "delete"})
"""Words of functions that change the graph."""


class Function:
    """A user function of one of the five kinds.

    Attributes
    ----------
    kind : str
        ``vertex``, ``edge``, ``elist``, ``mlist`` or ``message``.
    record : record class
        Of the element that one instance stands for.
    parameters : tuple of Parameter
        What a call passes besides the domain.
    may_change : bool
        Whether a word of its text may change the graph, as it can be asked without reading it.
    """

    def __init__(self, kind: str, python: types.FunctionType, around: dict[str, Any]) -> None:
        self.kind = kind
        self.python = self.__wrapped__ = python
        self.name = python.__name__
        self.__doc__ = python.__doc__
        self.__name__ = python.__name__
        self.__module__ = python.__module__
        self.loc = definition_loc(python)
        self.may_change = not CHANGING.isdisjoint(python.__code__.co_names)
        self._source: Source | None = None
        self.made: dict[Any, Any] = {}  # functions that compiled runs make of it
        self.describe(hints_of(python, around, self.loc))

    def describe(self, hints: dict[str, Any]) -> None:
        """Take the types of element and parameters from the evaluated annotations."""
        self.hints = hints
        signature = inspect.signature(self.python).parameters
        names = list(signature)
        num_elements = 2 if self.kind in ("elist", "mlist") else 1
        self.element_names = names[:num_elements]
        self.record, self.list = self._element(names, hints)
        self.parameters = tuple(self._parameter(name, hints) for name in names[num_elements:])
        self.defaults = {
            each.name: signature[each.name].default
            for each in self.parameters
            if signature[each.name].default is not inspect.Parameter.empty
        }
        self.named = {each for each in names if signature[each].kind.name == "KEYWORD_ONLY"}
        self._analysis: Analysis | None = None

    def _element(self, names: list[str], hints: dict[str, Any]) -> tuple[Any, ListOf | None]:
        wanted, example = _FIRST[self.kind]
        record = hints.get(names[0]) if names else None
        kind = {"edge": "edge", "message": "message"}.get(self.kind, "vertex")
        listed = hints.get(names[1]) if len(names) > 1 else None
        list_kind = {"elist": "edges", "mlist": "messages"}.get(self.kind)
        good = isinstance(record, RecordType) and record.kind == kind
        is_listed = isinstance(listed, ListOf) and listed.kind == list_kind
        if not good or (list_kind is not None and not is_listed):
            first = parameter_loc(self.python, names[0]) if names else self.loc
            given = ", ".join(_shown(name, hints) for name in names[:2]) or "no parameters"
            raise TypeMismatchError(
                f"@{self.kind} function {self.name}() must begin with {wanted}, not with {given}",
                first,
                f"Write: def {self.name}({example}, ...)",
            )
        return record, listed if list_kind is not None else None

    def _parameter(self, name: str, hints: dict[str, Any]) -> Parameter:
        hint = hints.get(name)
        if isinstance(hint, RecordType) and hint.kind == "message":
            return Parameter(name, message_type(hint), hint)
        kind = annotated_type(hint)
        if kind is None:
            raise TypeMismatchError(
                f"parameter {name!r} of {self.name}() needs a number type, "
                + ("but has no annotation" if hint is None else f"not {_spelled(hint)}"),
                parameter_loc(self.python, name),
                f"Write {name}: f32, {name}: int, or {name}: tuple[f32, i32].",
            )
        return Parameter(name, kind)

    def __repr__(self) -> str:
        return f"<@{self.kind} {self.name} at {self.loc}>"

    @property
    def source(self) -> Source:
        """Return the function's source, read once."""
        if self._source is None:
            self._source = read_source(self.python)
        return self._source

    @property
    def analysis(self) -> Analysis:
        """Return body and effects; built again when a captured global has changed."""
        known = self._analysis
        captured = {} if known is None else known.captured
        if known is None or any(not same(self._outside(n), v) for n, v in captured.items()):
            from emv.lang.reading import analysed  # programs are defined without reading texts

            known = self._analysis = analysed(self)
        return known

    @property
    def effects(self) -> Effects:
        """Return what the function reads, writes and does."""
        return self.analysis.effects

    @property
    def body(self) -> ir.Body:
        """Return the typed body."""
        return self.analysis.body

    def _outside(self, dotted: str) -> Any:
        """Return what a captured name means now."""
        helpers = self._analysis.helpers if self._analysis is not None else {}
        first, _, rest = dotted.partition(".")
        if rest and first in helpers:
            return meaning(helpers[first], rest)
        value = seen(self.python, first)
        for name in rest.split(".") if rest else ():
            value = getattr(value, name, MISSING)
        return value

    @ends_at_caller
    def __call__(self, domain: Any = MISSING, /, *args: Any, **named: Any) -> Any:
        """Apply the function to a domain: g, g.active, g.only(ids), g.edges, messages.receivers."""
        loc = caller_loc()
        apply = getattr(type(domain), "apply", None)  # of its class: a column may be called so
        if apply is None:
            raise not_a_domain(self.name, domain, loc)
        return apply(domain, self, self.bind(args, named, loc), loc)

    def bind(self, args: tuple[Any, ...], named: dict[str, Any], loc: Loc) -> dict[str, Any]:
        """Match a call's arguments with the parameters; the message list counts as one."""
        names = [each.name for each in self.parameters]
        if self.kind == "mlist":
            names = [self.element_names[1], *names]
        placed = [name for name in names if name not in self.named]
        given = dict(zip(placed, args, strict=False))
        doubled = [name for name in named if name in given]
        wrong = [name for name in named if name not in names]
        given |= named
        absent = [name for name in names if name not in given and name not in self.defaults]
        if len(args) > len(placed) or doubled or wrong or absent:
            wanted = ", ".join(["a domain", *names])
            given_text = f"{len(args)} more" + "".join(f" and {name}=" for name in named)
            remedies = [f"Missing: {', '.join(absent)}."] if absent else []
            remedies += [f"It has no parameter {', '.join(wrong)}."] if wrong else []
            raise TypeMismatchError(
                f"{self.name}() takes {wanted}, but the call gives a domain and {given_text}",
                loc,
                " ".join(remedies) or self._too_many(),
            )
        return self.defaults | given

    def _too_many(self) -> str:
        """Return what to do about a call that gives more than there are places."""
        named = ", ".join(f"{name}=x" for name in sorted(self.named))
        return f"Give what stands behind its * by name: {named}." if named else _TOO_MUCH


def not_a_domain(name: str, given: Any, loc: Loc) -> TypeMismatchError:
    """Return the error for a call of a function on something else."""
    is_graph = hasattr(type(given), "num_vertices")
    return TypeMismatchError(
        f"{name}() is applied to a domain, not to "
        + ("nothing" if given is MISSING else "a graph" if is_graph else repr(given)),
        loc,
        f"Functions run in a program: write @program, def run(g): {name}(g), and call run(graph)."
        if is_graph
        else "A domain is g, g.active, g.only(ids), g.edges or messages.receivers.",
    )


def hints_of(python: types.FunctionType, around: dict[str, Any], loc: Loc) -> dict[str, Any]:
    """Return the annotations of a function, evaluated where it is defined."""
    try:
        return inspect.get_annotations(
            python, globals=python.__globals__, locals=dict(around), eval_str=True
        )
    except NameError as error:
        raise LanguageError(
            f"the annotation {error.name!r} of {python.__name__}() is not defined",
            loc,
            "Import the type (from emv import f32, i32, ...) or define the record above."
            + did_you_mean(error.name or "", [*around, *python.__globals__]),
        ) from None


def _spelled(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)


def _shown(name: str, hints: dict[str, Any]) -> str:
    return f"{name}: {_spelled(hints[name])}" if name in hints else name


def check_def(kind: str, python: Any) -> None:
    """Refuse to decorate anything but a plain ``def``."""
    plain = isinstance(python, types.FunctionType) and python.__name__ != "<lambda>"
    if not plain or inspect.iscoroutinefunction(python) or inspect.isasyncgenfunction(python):
        given = "" if python is None else f", not {python!r}"
        raise LanguageError(
            f"@{kind} decorates a plain def{given}",
            caller_loc(2),
            "A def has one decorator: a program is another def, which applies functions, f(g)."
            if hasattr(python, "python")
            else f"Write @{kind} without parentheses above a def.",
        )


def _decorate(kind: str, python: Callable[..., Any] | None) -> Function:
    check_def(kind, python)
    assert isinstance(python, types.FunctionType)
    # The frames between are those of the decorator, which ends errors at its caller.
    return Function(kind, python, sys._getframe(3).f_locals)


@ends_at_caller
def vertex(python: Callable[..., Any] | None = None) -> Function:
    """Mark a function of which one instance runs per vertex.

    The vertex comes first; other parameters come from the call, a number for all or a value each.

    Examples
    --------
    >>> from emv import Vertex, f32
    >>> class Page(Vertex):
    ...     rank: f32 = 0.0
    >>> @vertex
    ... def add(v: Page, received: f32):
    ...     v.rank += received
    """
    return _decorate("vertex", python)


@ends_at_caller
def edge(python: Callable[..., Any] | None = None) -> Function:
    """Mark a function of which one instance runs per edge (per arc of an undirected graph).

    Examples
    --------
    >>> from emv import Edge, Vertex
    >>> @edge
    ... def tell(e: Edge[Vertex]):
    ...     e.send(e.src.id)
    """
    return _decorate("edge", python)


@ends_at_caller
def elist(python: Callable[..., Any] | None = None) -> Function:
    """Mark a function of which one instance runs per vertex, with its out-edges as a list.

    Examples
    --------
    >>> from emv import Edge, EdgeList, Vertex
    >>> @elist
    ... def share(v: Vertex, links: EdgeList[Edge[Vertex]]):
    ...     for link in links:
    ...         link.send(1 / len(links))
    """
    return _decorate("elist", python)


@ends_at_caller
def mlist(python: Callable[..., Any] | None = None) -> Function:
    """Mark a function of which one instance runs per receiver, with its messages as a list.

    Called as ``hear(messages.receivers, messages)``, for what no combiner can do.

    Examples
    --------
    >>> from emv import MessageList, Vertex, i32
    >>> @mlist
    ... def hear(v: Vertex, heard: MessageList[i32]):
    ...     return len(heard)
    """
    return _decorate("mlist", python)


@ends_at_caller
def message(python: Callable[..., Any] | None = None) -> Function:
    """Mark a function of which one instance runs per message and may change it.

    Examples
    --------
    >>> from emv import Message, f32
    >>> @message
    ... def halve(m: Message[f32]):
    ...     m.value = m.value / 2
    """
    return _decorate("message", python)
