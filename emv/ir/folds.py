"""What is folded of messages, and what the functions of a launch are given."""

from __future__ import annotations

from typing import Any

from emv.ir.frozen import dataclass
from emv.ir.slots import Slot


@dataclass(frozen=True)
class Values:
    """One value per vertex (or edge), kept in arrays ``v{id}_0``, ``v{id}_1``, ..."""

    id: int
    type: Any

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the arrays, one per component."""
        return tuple(f"v{self.id}_{k}" for k in range(len(component_types(self.type))))


@dataclass(frozen=True)
class Fold:
    """How messages are folded: ``ops`` are Combiners, one for all or one per component."""

    values: Values
    ops: tuple[Any, ...]
    message: Any  # the type folded
    initial: tuple[Slot, ...] | None  # one per component
    ordered: bool  # whether tuples compare as a whole (min and max)


@dataclass(frozen=True)
class PerCopy:
    """A scalar, or the scalars of a tuple, of which some differ from copy to copy of a batch."""

    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Argument:
    """What a parameter gets: a `Slot`, slots of a tuple, `PerCopy`, or `Values`."""

    name: str
    source: Any


@dataclass(frozen=True)
class Receive:
    """The function that receives, fused behind the fold of its messages."""

    function: Any
    everyone: bool  # over all vertices, not only those that received
    args: tuple[Argument, ...]
    aggregates: tuple[tuple[str, Slot], ...] = ()
    returned: Values | None = None


def component_types(kind: Any) -> tuple[str, ...]:
    """Return the types of the components of a message or value type."""
    return kind if isinstance(kind, tuple) else (kind,)
