"""Changes cut into batches of equal size, whatever blocks they come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError
from emv.graph.stream.block import Block


def in_batches(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    """Yield changes `size` at a time, in order; the last batch may be smaller.

    Examples
    --------
    >>> from emv.graph.stream.rows import blocks_of_rows
    >>> changes = [("+", each, each + 1) for each in range(5)]
    >>> [each.src.tolist() for each in in_batches(blocks_of_rows(changes, 2), 3)]
    [[0, 1, 2], [3, 4]]
    """
    waiting: list[Block] = []
    count = 0
    for block in blocks:
        begin = 0
        while count + len(block) - begin >= size:
            end = begin + size - count
            yield _joined([*waiting, block.part(slice(begin, end))])
            waiting, count, begin = [], 0, end
        if begin < len(block):
            waiting.append(block.part(slice(begin, None)))
            count += len(block) - begin
    if waiting:
        yield _joined(waiting)


def _joined(blocks: list[Block]) -> Block:
    """Return the changes of some blocks."""
    if len(blocks) == 1:
        return blocks[0]
    adding = [each for each in blocks if not each.is_removed.all()]
    names = adding[0].columns.keys() if adding else set[str]()
    columns: dict[str, NDArray[np.generic]] = {}
    for each in adding[1:]:
        if each.columns.keys() != names:
            name = min(each.columns.keys() ^ names)
            raise ColumnError(f"some edges come with a column '{name}' and others without")
    for name in names:
        nothing = adding[0].columns[name][:0]
        parts = [each.columns.get(name, np.zeros(len(each), nothing.dtype)) for each in blocks]
        columns[name] = np.concatenate(parts)
    src, dst = (_names([getattr(each, end) for each in blocks]) for end in ("src", "dst"))
    return Block(src, dst, np.concatenate([each.is_removed for each in blocks]), columns)


def _names(parts: list[NDArray[np.generic]]) -> NDArray[np.generic]:
    """Return what vertices are called, as objects where some are no whole numbers."""
    if len({each.dtype for each in parts}) > 1:
        parts = [each.astype(object) for each in parts]
    return np.concatenate(parts)
