"""Names that warn before they go: a parameter that has another name now still takes its old one.

    @renamed("0.2", seed="rng")
    def rmat(n, m, rng=0): ...

``rmat(9, 9, seed=1)`` works, and an `EmvDeprecationWarning` at the line of the user's says what to
write instead and when the old name goes: two minor versions later (SPEC 7 for ``rng``, and what
`docs/stability.md` promises for all). Type checkers see the new name only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from emv.errors import CallError, EmvDeprecationWarning
from emv.tracebacks import warn_at_caller

P = ParamSpec("P")
R = TypeVar("R")

MINOR_VERSIONS = 2
"""For so many minor versions an old name is taken."""


def renamed(since: str, **names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of a function that also takes the old names of parameters.

    Parameters
    ----------
    since : str
        The version that has brought the new names.
    **names
        For each old name the new one.

    Raises
    ------
    CallError
        By the function, if a call gives both names of a parameter.

    Examples
    --------
    >>> import warnings
    >>> @renamed("0.2", colour="color")
    ... def paint(color):
    ...     return color
    >>> with warnings.catch_warnings(record=True) as said:
    ...     paint(colour="red")
    'red'
    >>> print(said[0].message)
    paint(): colour= is called color= since emv 0.2, and goes with 0.4. Write color='red'.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def entry(*args: P.args, **named: P.kwargs) -> R:
            for old in names if named else ():
                if old not in named:
                    continue
                new, value = names[old], named.pop(old)
                if new in named:
                    raise CallError(f"{function.__name__}(): {old}= and {new}= are one parameter")
                warn_at_caller(
                    f"{function.__name__}(): {old}= is called {new}= since emv {since}, and goes "
                    f"with {end_of(since)}. Write {new}={value!r}.",
                    EmvDeprecationWarning,
                )
                named[new] = value
            return function(*args, **named)

        return entry

    return decorate


def end_of(since: str) -> str:
    """Return the version that no longer takes the old names.

    Examples
    --------
    >>> end_of("0.2")
    '0.4'
    """
    major, minor = since.split(".")
    return f"{major}.{int(minor) + MINOR_VERSIONS}"
