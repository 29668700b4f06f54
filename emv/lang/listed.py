"""A list of vertex ids that a program is given: for ``g.only(ids)`` and for nothing else."""

from __future__ import annotations

from typing import Any

from emv.errors import TypeMismatchError
from emv.ir import program as ir
from emv.lang.source import caller_loc


class ArrayStandIn:
    """A list of ids as a program holds it, traced or run as plain Python.

    Attributes
    ----------
    values : array or None
        The ids, where they are known.
    """

    def __init__(self, parameter: ir.ArrayParameter, values: Any = None) -> None:
        self.parameter = parameter
        self.values = values

    def __repr__(self) -> str:
        return f"<ids {self.parameter}>" if self.values is None else repr(self.values)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeMismatchError(
            f"{self.parameter} is a list of vertex ids, with which a program does not compute",
            caller_loc(2),
            f"Write g.only({self.parameter}), and compute in the function that is applied to it. "
            "A number for each vertex is a column: set g.vertices.x before the call, or name it in "
            "@program(bind=...).",
        )

    __hash__ = object.__hash__
    __bool__ = __int__ = __index__ = __float__ = __len__ = __iter__ = __getitem__ = _refuse
    __contains__ = __call__ = __array__ = __array_ufunc__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __and__ = __or__ = __invert__ = _refuse
