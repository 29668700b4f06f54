"""The parameters of programs, as calls are bound to them before every run.

`inspect` takes longer to bind a call than a small run takes, so what it says of a signature is
kept; and a call that equals an earlier one finds its arguments sorted.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from operator import is_
from typing import Any

from emv.errors import CallError, did_you_mean
from emv.graph.counting import AsItIs

OF_A_CALL = ("backend", "rng", "callback", "stream", "schedule", "precision")
"""What calls of every program take besides its own parameters."""

MISSING = id(inspect.Parameter.empty)
"""Of what stands for a parameter that has neither a default nor an argument."""

MOST_CALLS = 256
"""So many calls with other arguments are remembered, of one program."""

SAID = frozenset(OF_A_CALL)
AS_IT_IS = (None, "undirected")
"""The forms of graphs that are the graph itself."""

KEPT_KINDS = frozenset({bool, int, float, str, type(None)})
"""The types of arguments by which a call may be known again."""


def bound_values(
    python: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[dict[str, Any], set[str]]:
    """Return what the parameters behind the graph are, by name, and which of them a call gave.

    Raises
    ------
    CallError
        If the call does not fit the signature.
    """
    places, defaults = parameters_of(python)
    given = {*places[: len(args)], *named}
    if defaults and len(given) == len(args) + len(named) and named.keys() <= defaults.keys():
        values = {**defaults, **dict(zip(places, args, strict=False)), **named}
        if MISSING not in map(id, values.values()):
            return values, given
    signature = signature_of(python)
    try:
        bound = signature.bind(None, *args, **named)
    except TypeError as error:
        wrong, meant = str(error), ""
        unknown = [name for name in named if name not in signature.parameters]
        if unknown:  # that says more than what is missing
            wrong = f"got an unexpected keyword argument '{unknown[0]}'"
            known = {*signature.parameters, *OF_A_CALL} - {unknown[0]}
            meant = did_you_mean(unknown[0], sorted(known))
        raise CallError(f"{python.__name__}(): {wrong}; it takes {signature}.{meant}") from None
    given = set(list(bound.arguments)[1:])
    bound.apply_defaults()
    return dict(list(bound.arguments.items())[1:]), given


@functools.lru_cache(maxsize=256)
def signature_of(python: Callable[..., Any]) -> inspect.Signature:
    """Return a function's signature; finding it takes longer than a small run."""
    return inspect.signature(python)


@functools.lru_cache(maxsize=256)
def parameters_of(python: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the parameters that a call may give by place, and all with their defaults.

    Those behind the graph, which are asked before every run, as `inspect` takes longer to bind them
    than a small run; none where some are of another kind than these.
    """
    listed = list(signature_of(python).parameters.values())[1:]
    by_place = [each.name for each in listed if each.kind is each.POSITIONAL_OR_KEYWORD]
    if any(each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in listed):
        return (), {}
    return tuple(by_place), {each.name: each.default for each in listed}


def call_key(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a call of plain numbers, words, truth values and None is known by; else None.

    Examples
    --------
    >>> call_key((0.0,), {}) == call_key((-0.0,), {}), call_key((1,), {}) == call_key((1.0,), {})
    (False, False)
    """
    values = (*args, *named.values()) if named else args
    kinds = tuple(map(type, values))
    if not KEPT_KINDS.issuperset(kinds):
        return None
    if float in kinds and 0 in values:  # 0.0 and -0.0 are equal
        signs = tuple(math.copysign(1, each) for each in values if type(each) is float)
        return (values, kinds, tuple(named), signs)
    return (values, kinds, tuple(named))


def is_settled(graph: Any, arguments: Any, bind: dict[str, Any], backend: str) -> bool:
    """Return whether equal calls find the same as long as no edge and no column of edges changes.

    A column of vertices may be changed in place, and plain Python is not to be quick.
    """
    if not arguments.is_known or backend == "python":
        return False
    of_vertices = {name for name, field in bind.items() if field.kind == "vertex"}
    words = [(name, each) for name, each in arguments.values.items() if isinstance(each, str)]
    return not any(name in of_vertices or each in graph.vertices for name, each in words)


Last = tuple[tuple[Any, ...], tuple[str, ...], tuple[Any, ...], "Met"]
"""Of the last call: what it gave by place, by which names, which values; and what it has met."""


class KnownCalls:
    """What the arguments of a program's calls were sorted into, by equal arguments.

    Arguments of other kinds than numbers, words, truth values and None are sorted in each call.
    """

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.met: dict[Any, Met] = {}
        self.last: Last | None = None

    def sorted(
        self, args: tuple[Any, ...], named: dict[str, Any], schedule: Any, sort: Callable[..., Any]
    ) -> Any:
        """Return the sorted arguments of a call, those of an equal one if there was one."""
        key = None if schedule is not None else call_key(args, named)
        if key is None:
            return sort(args, named, schedule)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_CALLS:
                self.known.clear()
            found = self.known[key] = sort(args, named, schedule)
            found.is_known = True
        return found

    def again(self, graph: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Met | None:
        """Return what the last equal call has found, if it found it on a graph as this is now.

        A call with the very objects of the last one is an equal one.
        """
        if self.last is not None:
            before, names, values, found = self.last
            is_same = len(given) == len(before) and all(map(is_, given, before))
            if is_same and (named or names):
                is_same = tuple(named) == names and all(map(is_, named.values(), values))
            if is_same and found.holds(graph):
                return found
        known = self.met.get(call_key(given, named))
        if known is None or not known.holds(graph):
            return None
        self.last = given, tuple(named), tuple(named.values()), known
        return known

    def keep(self, given: tuple[Any, ...], named: dict[str, Any], found: Met) -> Met:
        """Keep what a call has found, where nothing but it and the graph decides of that.

        Parameters
        ----------
        given : tuple
            The arguments, with the options of the call behind them.
        """
        key = call_key(given, named)
        if key is not None and found.is_kept:
            if len(self.met) >= MOST_CALLS:
                self.met.clear()
            self.met[key] = found
            self.last = given, tuple(named), tuple(named.values()), found
        return found


def met_before(
    program: Any, graph: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> Met | None:
    """Return what an equal call of a program has met, which a run with these objects finds at once.

    None if there was no such call, and of some that say more than arguments.
    """
    if program.form not in AS_IT_IS or not SAID.isdisjoint(named):
        return None
    found: Met | None = program._calls.again(graph, (*args, None, None, None), named)
    return found


class Left(list[Any]):
    """The plans that equal calls on one graph left, which nobody holds who only remembers them."""

    __slots__ = ("__weakref__",)


class Met(AsItIs):
    """What a call has found on a graph, for the next equal one; neither graph nor plans are held.

    Parameters
    ----------
    graph : Graph
        In the form in which the program sees it.
    text, arguments : ProgramFunction, Arguments
        The program as the call reads f32; the sorted arguments.
    told : Any
        What was found when the call was not refused.
    backend : str
        Where it runs.
    is_kept : bool
        Whether an equal call finds the same while the edges of the graph and their columns stay.

    Attributes
    ----------
    compiled, knobs : Compiled or None, tuple
        The kernels, once there are some, and what besides decided of them.
    left : callable
        Returns where plans of such calls are left, None if nowhere.
    """

    __slots__ = (*("arguments", "backend", "compiled", "is_kept", "knobs", "left", "text", "told"),)

    def __init__(
        self, graph: Any, text: Any, arguments: Any, told: Any, backend: str, is_kept: bool
    ) -> None:
        self.text, self.arguments, self.told, self.backend = text, arguments, told, backend
        self.is_kept = is_kept
        super().__init__(graph)
        self.compiled: Any = None
        self.knobs: tuple[Any, ...] = ()
        self.left: Callable[[], Left | None] = _none

    def plan(self) -> Any:
        """Take the plan of an equal call that ran where this one is to run; None if there is none.

        Another thread may have taken it.
        """
        left = self.left()
        if not left:
            return None
        try:
            plan = left.pop()
        except IndexError:
            return None
        if plan.arguments is self.arguments and plan.target.is_here():
            plan.left = left
            return plan
        left.append(plan)
        return None


def _none() -> None:
    return None
