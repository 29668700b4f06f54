"""What all generators share: checked parameters, weights, and the graph at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from emv.config import is_backend
from emv.errors import ArgumentError, CapacityError, did_you_mean
from emv.generators.draws import filled, key_of
from emv.graph import Graph
from emv.graph.drawn import DrawnArray
from emv.graph.tables import Tables
from emv.graph.widths import public_dtype
from emv.lang.draws import seed_of
from emv.runtime.arrays.available import CHECKED_FROM, available_bytes, readable

MOST_VERTICES = 2**32 - 1
"""Ids are drawn from 64 bits by one product, which leaves 32 for the id."""


class Options(TypedDict, total=False):
    """What every generator takes.

    Attributes
    ----------
    directed : bool
        Whether edges lead one way only; by default as the model has it.
    weights : tuple of two numbers, optional
        ``(low, high)``: an edge column ``weight``. Two ints give uniform whole numbers from `low`
        to ``high - 1`` (GTgraph's are ``(0, 100)``), two floats uniform numbers between them.
    device : str, optional
        ``"cuda"`` or ``"cuda:N"`` makes edges and weights on a GPU, where they stay: the same ones.
    held : bool
        With False edges are not held at all, but drawn where they are needed: a graph that no GPU
        holds as a whole runs on several, ``g.on("cuda", gpus=2)``. It has no edge columns.
    """

    directed: bool
    weights: tuple[float, float] | None
    device: str | None
    held: bool


def whole(name: str, value: Any, low: int, high: int = MOST_VERTICES) -> int:
    """Return a whole number that a user gave, or say what it must be.

    Raises
    ------
    ArgumentError
        If it is none, or not between `low` and `high`.

    Examples
    --------
    >>> whole("n", 2.5, 1)
    Traceback (most recent call last):
    emv.errors.ArgumentError: n is 2.5, but it is a whole number from 1 on
    """
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        limit = f"from {low} on" if high == MOST_VERTICES else f"from {low} to {high}"
        raise ArgumentError(f"{name} is {value!r}, but it is a whole number {limit}")
    return int(value)


def count_of(name: str, value: Any, low: int = 0, held: bool = True) -> int:
    """Return a number of edges that a user gave; see `refuse_beyond_memory`."""
    count = whole(name, value, low, 2**62)
    if held:
        refuse_beyond_memory(count, f"a graph of {name}={count}")
    return count


def refuse_beyond_memory(num_edges: int, what: str) -> None:
    """Refuse more edges than there is memory for, before any is made.

    Raises
    ------
    CapacityError
        With the bytes that their ends take at least, and the bytes available.
    """
    needed = 2 * np.dtype(np.int32).itemsize * num_edges
    if needed > CHECKED_FROM and needed > (free := available_bytes()):
        raise CapacityError(
            f"{what} has {num_edges:,} edges, whose ends take {needed:,} bytes "
            f"({readable(needed)}), but {free:,} ({readable(free)}) are available",
            remedy="Make a smaller graph.",
        )


def number(name: str, value: Any, low: float = 0.0, high: float = 1.0) -> float:
    """Return a number that a user gave, by default a probability.

    Raises
    ------
    ArgumentError
        If it is none, or not between `low` and `high`.
    """
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise ArgumentError(f"{name} is {value!r}, but it is a number from {low:g} to {high:g}")
    return float(value)


def truth(name: str, value: Any) -> bool:
    """Return a truth value that a user gave."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name} is {value!r}, but it is True or False")
    return bool(value)


def checked_seed(rng: Any) -> int:
    """Return the seed that a user's ``rng`` means, see `seed_of`."""
    return whole("rng", seed_of("rng", rng), 0, 2**63 - 1)


def device_of(options: Options, model: str | None = None) -> str | None:
    """Return the GPU that is to make the edges; None is the host.

    Parameters
    ----------
    options : Options
        What the user gave.
    model : str, optional
        The name of a model that is made on the host only.

    Raises
    ------
    ArgumentError
        If there is no such device, or the model does not take it.
    """
    _check_names(options)
    device = options.get("device")
    if device is None or device == "cpu":
        return None
    if not is_backend(device) or not device.startswith("cuda"):
        raise ArgumentError(
            f"device is {device!r}, but graphs are made on 'cpu', 'cuda' or 'cuda:N'"
        )
    if model is not None:
        raise ArgumentError(
            f"{model} is made on the CPU, not on {device}",
            remedy=f'leave device= out, and run on the GPU with graph.on("{device}")',
        )
    return device


def held_of(options: Options) -> bool:
    """Return whether edges are to be held; else they are drawn where they are needed.

    Raises
    ------
    ArgumentError
        If they are not, and weights are asked for, of which somebody would have to hold one each.
    """
    held = truth("held", options.get("held", True))
    if not held and options.get("weights") is not None:
        raise ArgumentError(
            "held=False and weights=: edges that are drawn where they are needed have no columns",
            remedy="Leave one of them out.",
        )
    return held


def _check_names(options: Options) -> None:
    """Refuse options that there are not."""
    known = Options.__annotations__
    for name in options:
        if name not in known:
            raise ArgumentError(
                f"there is no option '{name}'.{did_you_mean(name, known)}",
                remedy=f"There are: rng, {', '.join(known)}.",
            )
    truth("directed", options.get("directed", False))


def made(
    ends: tuple[int, NDArray[Any], NDArray[Any]],
    seed: int,
    options: Options,
    directed: bool,
    columns: Mapping[str, NDArray[Any]] | None = None,
) -> Graph:
    """Return the graph of some ends, with the weights that are asked for.

    Parameters
    ----------
    ends : (num_vertices, src, dst)
        ``int[num_edges]`` each.
    seed : int
        Of the weights.
    options : Options
        What the user gave, checked by `device_of`.
    directed : bool
        What holds when the user does not say.
    columns : mapping of str to array, optional
        Vertex columns.
    """
    num_vertices, src, dst = ends
    if not (held_of(options) or isinstance(src, DrawnArray)):
        raise ArgumentError(
            "held=False: the edges of this model are no function of their numbers",
            remedy="rmat, kronecker, random and bipartite can do without holding them.",
        )
    span, edge_columns = options.get("weights"), {}
    if span is not None:
        edge_columns["weight"] = weights_of(span, len(src), seed, options.get("device"))
    return Graph.of_tables(
        Tables(
            num_vertices,
            src,
            dst,
            bool(options.get("directed", directed)),
            vertex_columns=columns or {},
            edge_columns=edge_columns,
        )
    )


def weights_of(span: Any, num_edges: int, seed: int, device: str | None) -> Any:
    """Return a weight for each edge, int32, int64 or float64, on the device.

    Raises
    ------
    ArgumentError
        If `span` is not two numbers, the first below the second.

    Examples
    --------
    >>> weights_of((5, 7), 6, seed=1, device=None).min()
    np.int32(5)
    """
    numbers = tuple(span) if isinstance(span, tuple | list) else ()
    plain = all(type(each) in (int, float) for each in numbers)
    if len(numbers) != 2 or not plain or not numbers[0] < numbers[1] < float("inf"):
        raise ArgumentError(f"weights is {span!r}, but it is (low, high), two numbers, low < high")
    low, high = numbers
    key = key_of(seed, "weights")
    gpu = None if device == "cpu" else device
    if isinstance(low, float) or isinstance(high, float):
        told = [key, float(low), float(high) - float(low)]
        if not np.isfinite(told[1:]).all():
            raise ArgumentError(f"weights is {span!r}, but both ends must be finite numbers")
        return filled("floats", num_edges, [np.float64], told, gpu)[0]
    if high - low > MOST_VERTICES or max(abs(low), abs(high)) >= 2**62:
        raise ArgumentError(
            f"weights is {span!r}, but whole weights span less than 2**32 numbers",
            remedy="give floats for a wider range",
        )
    dtype = np.int32 if low >= -(2**31) and high <= 2**31 else np.int64
    return filled("integers", num_edges, [dtype], [key, low, high - low], gpu)[0]


def wide_ids(num_vertices: int) -> list[np.dtype[Any]]:
    """Return the dtypes of the two arrays of ends."""
    return [public_dtype(num_vertices)] * 2
