"""What a graph answers to words that it does not have, asked for or set."""

from __future__ import annotations

from typing import Any, TypeVar

from emv.lang.slips import PROGRAMS, outside_a_program
from emv.tracebacks import ends_at_caller

T = TypeVar("T")
HERE = {
    "nodes": "g.vertices",
    "number_of_nodes": "g.num_vertices",
    "order": "g.num_vertices",
    "number_of_edges": "g.num_edges",
    "size": "g.num_edges",
}
"""Words of networkx' graphs, and what emv calls it."""


@ends_at_caller
def no_word(self: Any, name: str) -> Any:
    """Tell those who forget ``@program`` so, and all others that there is no such name."""
    if name in PROGRAMS:
        raise outside_a_program(name)
    what = f"{type(self).__name__!r} object has no attribute {name!r}"
    if name[:1] != "_":
        held = [each for each in ("vertices", "edges") if name in getattr(self, each)]
        said = f"g.{held[0]}.{name}" if held else HERE.get(name)
        what += f"; it is {said}" if said else ""
    raise AttributeError(what, name=name, obj=self)


def without_words(cls: type[T]) -> type[T]:
    """Decorate a class whose objects answer so; a checker sees no name more in it than it has.

    Nor is anything else set on them: that would be no column, and nobody would be told. Objects of
    a user's own subclass may hold what they like.
    """

    @ends_at_caller
    def set_known(self: Any, name: str, value: Any) -> None:
        if type(self) is cls and name[:1] != "_" and not hasattr(cls, name):
            raise AttributeError(
                f"{cls.__name__!r} object has no attribute {name!r} to set; a column of vertices "
                f"is set as g.vertices.{name} = values, one of edges as g.edges.{name} = values",
                name=name,
                obj=self,
            )
        object.__setattr__(self, name, value)

    cls.__getattr__ = no_word  # type: ignore[attr-defined]
    cls.__setattr__ = set_known  # type: ignore[method-assign]
    return cls
