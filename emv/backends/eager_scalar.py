"""The numbers of a program in a plain run: known, but what compiled runs refuse is refused.

A program may not decide by its numbers, since compiled it runs before it has any. A plain run has
them, computes with them at once by the same rules, shows them to `print` and debuggers, and refuses
what Python must not ask of them at the same place in the same words. Programs whose loops the host
drives may ask.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.ir import program as ir
from emv.ir.operations import TYPES, worked_out
from emv.lang.traced import TracedScalar, scalar


class EagerScalar(TracedScalar):
    """A number of a program whose value is known.

    Parameters
    ----------
    value : number of numpy
        Of 64 bits, or a truth value.
    is_of_host : bool
        Whether Python may ask for it.
    """

    def __init__(self, kind: str, value: Any, is_of_host: bool) -> None:
        super().__init__(ir.Number(kind, TYPES[kind](value)), value_of if is_of_host else None)

    def __repr__(self) -> str:
        return repr(value_of(self.expr).item())

    def __format__(self, form: str) -> str:
        return format(value_of(self.expr).item(), form)

    def made(self, kind: str, op: str, args: tuple[Any, ...], ask: Any) -> Any:
        """Return what an operation gives, worked out."""
        return EagerScalar(kind, worked_out(op, kind, tuple(map(value_of, args))), ask is not None)


def value_of(number: Any) -> Any:
    """Return the value of a number that is known."""
    return number.value


def known(value: Any) -> Any:
    """Return a number of a program as a number of numpy's, and tuples of them so; else itself."""
    if isinstance(value, EagerScalar):
        return value_of(value.expr)
    return tuple(map(known, value)) if type(value) is tuple else value


def number_of(value: Any, is_of_host: bool) -> EagerScalar:
    """Return a number of numpy's as one of a program."""
    kind = {"b": "bool", "u": "u64", "f": "f64"}.get(np.asarray(value).dtype.kind, "i64")
    return EagerScalar(kind, value, is_of_host)


def number_for(value: Any, is_of_host: bool) -> Any:
    """Return a number of Python's as one of a program, and tuples of them so."""
    if isinstance(value, tuple):
        return tuple(number_for(each, is_of_host) for each in value)
    if isinstance(value, EagerScalar):
        return value
    return EagerScalar(scalar(value).type, value, is_of_host)
