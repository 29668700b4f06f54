"""Frozen dataclasses that are quick to make: the stages hand a hundred kinds of them to each other.

`dataclasses` writes and compiles six functions for a class whose instances nobody changes, which
was a fifth of what a process paid before its first result. Here it writes one, which sets the
fields; what compares and shows instances is made without text. That nobody sets a field later is
found where types are checked, and not again while it runs, so that instances are made quicker, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool) -> Callable[[type], type]:
        """Return a decorator of classes that are frozen and compared by their fields.

        Examples
        --------
        >>> @dataclass(frozen=True)
        ... class Place:
        ...     name: str
        ...     number: int = 0
        >>> Place("a"), Place("a") == Place("a", 0), Place("a") in {Place("a", 1)}
        (Place(name='a', number=0), True, False)
        """
        assert frozen
        return made


def made(cls: type) -> type:
    """Return a class with all that its fields make of it."""
    found: type = dataclasses.dataclass(repr=False, eq=False)(cls)
    fields = dataclasses.fields(found)
    compared = [each.name for each in fields if each.compare]
    shown = [each.name for each in fields if each.repr]
    get: Callable[[Any], Any] = attrgetter(*compared) if compared else type

    def equal(self: Any, other: Any) -> Any:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(get(self))

    def text(self: Any) -> str:
        named = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({named})"

    for name, method in (("__eq__", equal), ("__hash__", hashed), ("__repr__", text)):
        if name not in vars(cls):
            setattr(found, name, method)
    return found
