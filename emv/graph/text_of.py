"""A method whose work a function does: the text stands with the function, once, and errors do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from emv.tracebacks import ends_at_caller

Method = TypeVar("Method", bound=Callable[..., Any])


def text_of(function: Callable[..., Any]) -> Callable[[Method], Method]:
    """Return the decorator of a method that a function does the work of, with its documentation.

    Errors end at the caller of the method.

    Examples
    --------
    >>> @text_of(len)
    ... def size(self): ...
    >>> size.__doc__ == len.__doc__
    True
    """

    def give(method: Method) -> Method:
        method.__doc__ = function.__doc__
        return cast(Method, ends_at_caller(method))

    return give
