"""A batch at its two ends: what the copies are given, and the stack of what they leave.

Inside, the copies of a vertex lie side by side (`emv.ir.copies`). Outside, a result has one row
per copy, as if each had run alone: the same memory, seen with strides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError, did_you_mean
from emv.ir.copies import Copies
from emv.ir.slots import Slot
from emv.lang.batches import batch
from emv.runtime.arguments import Arguments
from emv.runtime.parameters import signature_of
from emv.runtime.run import Run, RunColumns


def each_copy(arguments: Arguments) -> list[Arguments]:
    """Return the arguments of every copy; those of a plain run alone."""
    if not arguments.copies:
        return [arguments]
    return [arguments.of_copy(number) for number in range(arguments.num_copies)]


def ids_of_copies(listed: list[NDArray[np.int64]], copies: Copies) -> NDArray[np.int64]:
    """Return the ids in the union of all copies, in order and each once; see `padded`.

    Examples
    --------
    >>> ids_of_copies([np.array([5]), np.array([5, 0, 5])], Copies(2))
    array([ 1,  2,  3, 20, 21, 22, 23])
    """
    all_listed = padded(listed, copies)
    copy = np.repeat(np.arange(copies.size), [len(each) for each in all_listed])
    return np.unique((np.concatenate(all_listed) << copies.shift) + copy)


def padded(values: list[Any], copies: Copies) -> list[Any]:
    """Return a value for each copy there is room for: those too many do what the last one does.

    So they neither go on longer than all others nor look for what they never find.
    """
    return values + [values[-1]] * (copies.size - len(values))


def of_copies(numbers: list[Any], slot: Slot, copies: Copies) -> NDArray[Any]:
    """Return a scalar of every copy, as slots hold it."""
    dtype, numbers = np.float64 if slot.is_float else np.int64, padded(numbers, copies)
    if slot.unsigned:
        return np.array([int(each) & 2**64 - 1 for each in numbers], np.uint64).view(np.int64)
    return np.array([dtype(each) for each in numbers], dtype)


def apart(value: Any, number: int, rows: int, size: int) -> Any:
    """Return what all copies left as one row per copy.

    Parameters
    ----------
    value : any[rows * size] or any[rows] or number
        Entries of all copies side by side, or what is the same for all.
    number, size : int
        How many copies there are, and how many there is room for.
    """
    if isinstance(value, tuple):
        return tuple(apart(each, number, rows, size) for each in value)
    if not hasattr(value, "shape"):
        return np.full(number, value)
    is_union = len(value) == rows * size
    if not isinstance(value, np.ndarray):
        from emv.backends.cuda.stacked import StackedArray  # only a batch on a GPU needs it

        return StackedArray(value, number, size if is_union else 0)
    if is_union:
        apart_by_copy = value.reshape(rows, size, *value.shape[1:])[:, :number]
        return np.moveaxis(apart_by_copy, 1, 0)
    return np.broadcast_to(value, (number, *value.shape)).copy()


def check_copies(name: str, host_loop: bool, callback: Any, loc: Any) -> None:
    """Refuse what batches lack, for a call that is one.

    Raises
    ------
    ArgumentError
        If the host drives the program's loops, or there is a callback.
    """
    if host_loop:
        raise ArgumentError(
            f"{name}() is driven by the host, which sees one run at a time, so it has no batches",
            loc,
            f"Run the copies one after another: [{name}(g, value) for value in values].",
        )
    if callback is not None:
        raise ArgumentError(
            f"{name}(): callback= hears of one run, not of a batch",
            remedy="Leave it out, or run the copies one after another.",
        )


def stacked_runs(runs: list[Run]) -> Run:
    """Return the stack of runs one after another: the definition of a batch.

    It has the supersteps, and the reason of the end, of the copy that went on the longest.
    """
    last = max(runs, key=lambda run: (run.supersteps, run.stopped == "limit"))
    return Run(
        last.program,
        stack([run.result for run in runs]),
        RunColumns(stack([columns_of(run.vertices) for run in runs])),
        RunColumns(stack([columns_of(run.edges) for run in runs])),
        last.supersteps,
        last.stopped,
        sum(run.seconds for run in runs),
        last.backend,
    )


def columns_of(columns: RunColumns) -> dict[str, Any]:
    """Return columns by name."""
    return {name: columns[name] for name in columns.names()}


def stack(results: list[Any]) -> Any:
    """Return the results of runs as one, with a row for each."""
    first = results[0]
    if isinstance(first, tuple):
        return tuple(map(stack, map(list, zip(*results, strict=True))))
    if isinstance(first, dict):
        return {name: stack([each[name] for each in results]) for name in first}
    return None if first is None else np.stack(results)


def batch_arguments(
    python: Any, values: Any, args: tuple[Any, ...], along: str | None
) -> dict[str, Any]:
    """Return the arguments of a batch by name.

    Raises
    ------
    ArgumentError
        If ``along`` is no parameter of the program, or there are too many arguments.
    """
    names = list(signature_of(python).parameters)[1:]
    if not names:
        raise ArgumentError(f"{python.__name__}() has no parameter that could differ by copy")
    along = names[0] if along is None else along
    if along not in names:
        raise ArgumentError(
            f"along={along!r} is no parameter of {python.__name__}()",
            remedy=f"It has {', '.join(names)}.{did_you_mean(along, names)}",
        )
    others = [name for name in names if name != along]
    if len(args) > len(others):
        raise ArgumentError(
            f"{python.__name__}.batch() takes the values and {len(others)} more: "
            f"{', '.join(others) or 'none'}"
        )
    return {along: batch(values), **dict(zip(others, args, strict=False))}
