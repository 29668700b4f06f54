"""What a graph answers to words that it does not have."""

from __future__ import annotations

from typing import Any, TypeVar

from emv.lang.slips import PROGRAMS, outside_a_program
from emv.tracebacks import ends_at_caller

T = TypeVar("T")


@ends_at_caller
def no_word(self: Any, name: str) -> Any:
    """Tell those who forget ``@program`` so, and all others that there is no such name."""
    if name in PROGRAMS:
        raise outside_a_program(name)
    what = f"{type(self).__name__!r} object has no attribute {name!r}"
    raise AttributeError(what, name=name, obj=self)


def without_words(cls: type[T]) -> type[T]:
    """Decorate a class whose objects answer so; a checker sees no name more in it than it has."""
    cls.__getattr__ = no_word  # type: ignore[attr-defined]
    return cls
