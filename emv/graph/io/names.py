"""What vertices are called in a file, as labels: whole numbers where all of them are such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.io.numerals import LARGEST_ID
from emv.graph.renumber import is_numbered

_WHOLE = re.compile(r"0|[1-9][0-9]{0,18}")


def labels_of(names: Sequence[Any]) -> NDArray[Any] | None:
    """Return the labels of vertices; None where they are numbered 0, 1, 2, ... in their order.

    Examples
    --------
    >>> labels_of(["0", "1"]) is None, labels_of(["7", "10"]), labels_of(["07", "b"]).tolist()
    (True, array([ 7, 10]), ['07', 'b'])
    """
    if all(isinstance(each, str) and _WHOLE.fullmatch(each) for each in names):
        whole: list[Any] = [int(each) for each in names]
    else:
        whole = list(names)
    if all(type(each) is int and 0 <= each <= LARGEST_ID for each in whole):
        numbers = np.array(whole, np.int64)
        return None if is_numbered(numbers) else numbers
    return np.fromiter(names, dtype=object, count=len(names))
