"""Sort the arguments of a program call: numbers, arrays, bound columns, and constants.

Numbers and arrays of ids may change from run to run without a new compilation. Everything else
(text, truth values, None, functions) is a constant of the traced program. A parameter named in
``@program(bind=...)`` supplies a column instead; given None it supplies none, and is a constant.

What f32 is read as follows from the call, too: what the text says, what the call asks for, or what
a column is. A program whose ``@program(precision=...)`` names a parameter of ``bind`` adds in the
type of the numbers that it supplies, so that nobody's digits are lost and nobody pays for more.
"""

from __future__ import annotations

import inspect
import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph.bind import dtype_behind
from emv.graph.graph import Graph
from emv.graph.on_device import lies_on_device, on_host
from emv.lang.batches import Batch
from emv.lang.draws import seed_of
from emv.lang.schedules import NOTHING_ASKED, Asked, asked_of
from emv.lang.source import caller_loc
from emv.runtime.parameters import Met, bound_values, parameters_of

if TYPE_CHECKING:
    from emv.runtime.targets.target import Target


@dataclass
class Arguments:
    """The arguments of one call, which nobody changes; to freeze them takes a microsecond.

    Attributes
    ----------
    values : dict
        All of them, by name, as given.
    numbers : dict
        Those that are numbers.
    arrays : dict
        Those that are lists of ids, as int64 arrays.
    bindings : dict
        ``(kind, column)`` to ``(value, whether it is the parameter's default)``.
    bound : tuple of str
        The parameters that supply columns, None or not.
    schedule : Asked
        What the call asks of the schedule.
    copies : dict
        The parameters that differ from copy to copy of a batch, to their values; what the other
        attributes hold of them is that of the first copy.
    directed : bool
        Whether the graph's edges lead one way only.
    """

    values: dict[str, Any]
    numbers: dict[str, int | float]
    arrays: dict[str, NDArray[Any]]
    bindings: dict[tuple[str, str], tuple[Any, bool]]
    bound: tuple[str, ...]
    schedule: Asked = NOTHING_ASKED
    copies: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    directed: bool = True
    traced_by: tuple[Any, ...] | None = field(default=None, init=False, compare=False, repr=False)
    """What a trace depends on, once that was asked: `emv.runtime.compile.trace_key`."""
    is_known: bool = field(default=False, init=False, compare=False, repr=False)
    """Whether equal calls have this very object: `emv.runtime.parameters.KnownCalls`."""

    @property
    def num_copies(self) -> int:
        """Return how many copies a batch has; 0 of a plain run."""
        return len(next(iter(self.copies.values()), ()))

    def of_copy(self, number: int) -> Arguments:
        """Return the arguments of one copy of a batch, as of a run of its own."""
        own = {name: values[number] for name, values in self.copies.items()}
        numbers = {name: own.get(name, value) for name, value in self.numbers.items()}
        arrays = {name: own.get(name, value) for name, value in self.arrays.items()}
        values = {**self.values, **own}
        return replace(self, values=values, numbers=numbers, arrays=arrays, copies={})


@dataclass
class Call:
    """One call of a program, which nobody changes."""

    graph: Any  # in the form in which the program sees it
    arguments: Arguments
    target: Target  # where it runs
    seed: int = 0  # of its draws
    callback: Callable[[int, dict[str, Any]], Any] | None = None  # told how far it is
    met: Met | None = None  # what was found before the run, or by an equal call
    plan: Any = None  # that an equal call has left
    asked: Any = None  # what `Run.said` begins with


def sort_arguments(
    python: Callable[..., Any],
    bind: dict[str, Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    schedule: Any = None,
) -> Arguments:
    """Return the sorted arguments of ``python(g, *args, schedule=schedule, **named)``.

    Raises
    ------
    CallError
        If the call does not fit the signature.
    ArgumentError
        If an argument has a value that it does not take, or ``schedule`` is none.
    """
    values, given = bound_values(python, args, named)
    settled = _settled(python, bind)
    numbers, bindings = settled.numbers.copy(), settled.bindings.copy()
    arrays: dict[str, NDArray[Any]] = {}
    copies = _copies(python.__name__, values, bind)
    for name in given if settled.is_whole else values:
        value = values[name]
        numbers.pop(name, None)
        if name in copies:
            values[name] = copies[name][0]
            (arrays if isinstance(values[name], np.ndarray) else numbers)[name] = values[name]
        elif name in bind:
            _bind(bindings, bind[name], name, value, name not in given)
        elif _is_number(value):
            values[name] = numbers[name] = _plain(name, value)
        elif lies_on_device(value):
            arrays[name] = _ids(name, on_host(value))
        elif isinstance(value, list | tuple | range | set | frozenset | np.ndarray):
            arrays[name] = _ids(name, value)
        else:
            _check_constant(name, value)
    asked = asked_of(python.__name__, schedule)
    return Arguments(values, numbers, arrays, bindings, settled.bound, asked, copies)


def _bind(
    bindings: dict[tuple[str, str], tuple[Any, bool]],
    field: Any,
    name: str,
    value: Any,
    is_default: bool,
) -> None:
    """Note what a parameter supplies a column with; None supplies none."""
    if value is None:
        bindings.pop((field.kind, field.name), None)
    else:
        bindings[field.kind, field.name] = (_supply(name, value), is_default)


@dataclass(frozen=True)
class Settled:
    """What the defaults of a program's parameters are sorted into, as every call has it.

    Attributes
    ----------
    bind : dict
        Which parameters supply columns.
    bound : tuple of str
        Their names.
    numbers, bindings : dict
        As `Arguments` has them.
    is_whole : bool
        Whether this is all there is to say of the defaults: none is a list, or was not looked at.
    """

    bind: dict[str, Any]
    bound: tuple[str, ...]
    numbers: dict[str, int | float]
    bindings: dict[tuple[str, str], tuple[Any, bool]]
    is_whole: bool


_SETTLED: weakref.WeakKeyDictionary[Any, Settled] = weakref.WeakKeyDictionary()


def _settled(python: Callable[..., Any], bind: dict[str, Any]) -> Settled:
    """Return what the defaults of a program are sorted into; kept, as small runs take less."""
    found = _SETTLED.get(python)
    if found is None or found.bind is not bind:
        found = _SETTLED[python] = _sorted_defaults(parameters_of(python)[1], bind)
    return found


def _sorted_defaults(defaults: dict[str, Any], bind: dict[str, Any]) -> Settled:
    """Return what defaults are sorted into that are numbers, words, truth values and None."""
    numbers: dict[str, int | float] = {}
    bindings: dict[tuple[str, str], tuple[Any, bool]] = {}
    for name, value in defaults.items():
        if value is inspect.Parameter.empty or isinstance(value, Batch):
            continue
        if not (value is None or isinstance(value, PLAIN_KINDS)):
            return Settled(bind, tuple(bind), {}, {}, False)
        if name in bind:
            _bind(bindings, bind[name], name, value, True)
        elif _is_number(value):
            numbers[name] = _plain(name, value)
    return Settled(bind, tuple(bind), numbers, bindings, bool(defaults))


def _copies(
    program: str, values: dict[str, Any], bind: dict[str, Any]
) -> dict[str, tuple[Any, ...]]:
    """Return what differs from copy to copy: numbers of one type, or lists of ids.

    Raises
    ------
    ArgumentError
        If batches are not equally long, supply columns, or hold anything else.
    """
    if Batch not in map(type, values.values()):
        return {}
    batches = {name: value for name, value in values.items() if isinstance(value, Batch)}
    lengths = {len(each) for each in batches.values()}
    if len(lengths) > 1:
        shown = ", ".join(f"{name} has {len(each)}" for name, each in batches.items())
        raise ArgumentError(f"{program}(): the batches differ in length: {shown}")
    copies: dict[str, tuple[Any, ...]] = {}
    for name, each in batches.items():
        if name in bind:
            raise ArgumentError(
                f"{program}(): {name} supplies a column, which all copies of a batch share",
                remedy=f"Loop over them: [{program}(g, {name}=each) for each in ...].",
            )
        if set(map(type, each.values)) == {int} and _fits(min(each.values), max(each.values)):
            copies[name] = each.values  # without a look at each: there may be millions
        elif all(map(_is_number, each.values)):
            numbers = [_plain(name, value) for value in each.values]
            is_float = any(isinstance(number, float) for number in numbers)
            copies[name] = tuple(map(float, numbers)) if is_float else tuple(numbers)
        else:
            lists = ([value] if _is_number(value) else value for value in each.values)
            copies[name] = tuple(_ids(name, value) for value in lists)
    return copies


def check_call(
    program: str, graph: Any, rng: Any = 0, callback: Callable[..., Any] | None = None
) -> int:
    """Refuse what no program takes: no graph, no ``rng``, no callback. Return the seed.

    Raises
    ------
    ArgumentError
        If one of them is none.
    """
    if not isinstance(graph, Graph):
        from emv.backends.eager_graph import EagerDomain  # plain runs alone load it
        from emv.lang.traced import TracedDomain

        if isinstance(graph, TracedDomain | EagerDomain):
            raise ArgumentError(
                f"{program}() is a program, and is called in another",
                caller_loc(),
                "Write what both do as a plain function of g, without @program, and call that in "
                "both.",
            )
        raise ArgumentError(
            f"{program}() runs on an emv.Graph, not on {_kind_of(graph)}",
            remedy=f"Write {_conversion(graph)}.",
        )
    seed: int = rng if type(rng) is int else seed_of(f"{program}(): rng=", rng)
    if callback is not None and not callable(callback):
        raise ArgumentError(
            f"{program}(): callback= is a function, not {callback!r}",
            remedy="It is called as callback(supersteps, info); if it returns True, the run ends.",
        )
    return seed


def _kind_of(value: Any) -> str:
    library = type(value).__module__.split(".")[0]
    return repr(value) if library == "builtins" else f"a {library}.{type(value).__name__}"


def _conversion(value: Any) -> str:
    """Return how a graph of another library becomes one of emv's."""
    library = type(value).__module__.split(".")[0]
    if library == "networkx":
        return "emv.Graph.from_networkx(G)"
    if library == "scipy":
        return "emv.Graph.from_scipy(A)"
    return "emv.Graph.from_edges(src, dst), or emv.read(path)"


PLAIN_NUMBERS = {int, float}
PLAIN_KINDS = (bool, int, float, str)


def _is_number(value: Any) -> bool:
    if type(value) in PLAIN_NUMBERS:  # as most often; the question below takes ten times as long
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _plain(name: str, value: Any) -> int | float:
    value = value.item() if isinstance(value, np.ndarray) else value
    number = float(value) if isinstance(value, float | np.floating) else int(value)
    if isinstance(number, int) and not _fits(number, number):
        raise ArgumentError(f"{name}={value} does not fit 64 bits")
    if isinstance(number, float) and math.isnan(number):
        raise ArgumentError(f"{name} is NaN")
    return number


def _fits(least: int, most: int) -> bool:
    return least >= -(2**63) and most < 2**63


def _supply(name: str, value: Any) -> Any:
    if isinstance(value, str) or _is_number(value):
        return value
    if lies_on_device(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "iufb":
        raise ArgumentError(f"{name} is a column's name, a number or an array, not {value!r}")
    return array


def _ids(name: str, value: Any) -> NDArray[Any]:
    try:
        array = np.asarray(sorted(value) if isinstance(value, set | frozenset) else value)
    except (TypeError, ValueError):  # not to be ordered, or rows of different lengths
        array = np.asarray("")
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise ArgumentError(f"{name} is a vertex id or a list of vertex ids, not {value!r}")
    return array.astype(np.int64)


def _check_constant(name: str, value: Any) -> None:
    """Refuse what can change behind the back of the program that it is compiled into."""
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"the argument {name}={value!r} is neither a number nor a constant",
            remedy="Pass numbers, lists of vertex ids, texts or truth values.",
        ) from None


READ_AS = {"single": "f32", "double": "f64"}
"""What a call can ask for."""


def read_as(program: str, precision: str) -> str:
    """Return the type that f32 is read as when a call asks for a precision.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    if precision not in READ_AS:
        raise ArgumentError(
            f"{program}(): precision={precision!r}",
            remedy="It is 'single' (as the program is written) or 'double' (f32 read as f64).",
        )
    return READ_AS[precision]


def type_behind(graph: Any, field: Any, bound: tuple[Any, bool] | None) -> str:
    """Return the type that holds sums of what a field's values come from; see `type_of_sums`.

    Parameters
    ----------
    bound : (value, is_default) or None
        As `source_of` takes it.
    """
    return type_of_sums(dtype_behind(graph, field, bound))


def type_of_sums(dtype: np.dtype[Any]) -> str:
    """Return the type that holds sums of numbers: f32, f64 or i64.

    Whole numbers of any width count in 64 bits, and floats of at most 32 bits stay that wide.
    A number of Python's is as wide as Python's are.

    Examples
    --------
    >>> type_of_sums(np.dtype("float16")), type_of_sums(np.dtype("uint8"))
    ('f32', 'i64')
    """
    if dtype.kind == "f":
        return "f32" if dtype.itemsize <= np.dtype(np.float32).itemsize else "f64"
    return "i64"
