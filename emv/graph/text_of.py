"""The text of a method whose work a function does: it stands with the function, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def text_of(function: Callable[..., Any]) -> Callable[[Method], Method]:
    """Return the decorator that gives a method the documentation of a function.

    Examples
    --------
    >>> @text_of(len)
    ... def size(self): ...
    >>> size.__doc__ == len.__doc__
    True
    """

    def give(method: Method) -> Method:
        method.__doc__ = function.__doc__
        return method

    return give
