"""What a call in a program is given that is neither a number nor a value per vertex."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from emv.errors import Loc, TypeMismatchError
from emv.lang.listed import ArrayStandIn
from emv.lang.promote import spelled
from emv.lang.traced_columns import ColumnFace

LISTED = (ArrayStandIn, np.ndarray, list, range, set, frozenset)


def refuse_given(function: Any, name: str, value: Any, loc: Loc) -> NoReturn:
    """Refuse an argument by what it is."""
    wanted = next((each.type for each in function.parameters if each.name == name), "messages")
    taken = f"{name!r} of {function.name}() is {spelled(wanted)}"
    if isinstance(value, ColumnFace):
        column = value.column
        raise TypeMismatchError(
            f"{taken}, not a column: g.{column}",
            loc,
            f"A function reads columns itself: declare {column.name} in its record.",
        )
    if isinstance(value, LISTED):
        raise TypeMismatchError(
            f"{taken}, not a list of numbers",
            loc,
            "Lists given to a program are ids, for g.only(ids). A number for each vertex is a "
            "column: set g.vertices.x before the call, or name it in @program(bind=...).",
        )
    raise TypeMismatchError(
        f"{taken}, not {type(value).__name__} {value!r}",
        loc,
        "Numbers are parameters of the program, g.num_vertices, superstep numbers, aggregates, "
        "and what Python computes from them; messages are combined before: emv.sum(messages).",
    )
