"""The types that annotations mean, and those of messages that records describe."""

from __future__ import annotations

import typing
from typing import Any

from emv.dtypes import dtype_of, short_name
from emv.ir.types import Type, VectorType


def message_type(record: Any) -> Type:
    """Return the type of a message record: its field types in order, or the plain one."""
    kinds = tuple(short_name(field.dtype) for field in record.fields.values())
    return kinds[0] if record.plain else kinds


def annotated_type(hint: Any) -> Type | None:
    """Return the type that an annotation means; None if it means none."""
    dtype = dtype_of(hint)
    if dtype is not None:
        return short_name(dtype)
    if isinstance(hint, VectorType):
        return hint
    if typing.get_origin(hint) is tuple:
        items = [dtype_of(each) for each in typing.get_args(hint)]
        kinds = tuple(short_name(each) for each in items if each is not None)
        return kinds if len(kinds) == len(items) else None
    return None
