"""Vectors of a fixed size: several numbers of one type that travel and are combined together.

A tuple says "these belong together, compared in order", a vector "the same thing several times":
every operator folds the parts of vectors each for itself, ``min`` and ``max`` too. That is why a
vector is a type of its own and not another spelling of a tuple.
"""

from __future__ import annotations

from typing import Any

from emv.dtypes import dtype_of, short_name
from emv.errors import TypeMismatchError
from emv.ir.types import VectorType
from emv.lang.source import caller_loc

LARGEST = 64  # parts of a vector: they are kept in registers


class Vector(tuple):  # type: ignore[type-arg]
    """A vector in a user function, ``Vector(x, y, z)``, and its annotation, ``Vector[f32, 3]``.

    Sent, kept in a variable, received as a parameter or in a message list; ``len(v)`` is its size,
    ``v[k]`` a part, where ``k`` is any whole number. Operators combine vectors part by part, those
    of `emv.combiner` get whole ones. Combined vectors are returned as an array of a row each.

    Parameters
    ----------
    *parts : number
        1 to 64 numbers, which are converted to one type.

    Raises
    ------
    TypeMismatchError
        In ``Vector[f32, 3]``, if the type is no number type or the size none from 1 to 64.

    Examples
    --------
    >>> import emv
    >>> from emv import Edge, Graph, Vector, Vertex, edge, f64, program
    >>> class Place(Vertex):
    ...     x: f64
    ...     y: f64
    >>> @edge
    ... def pull(e: Edge[Place]):
    ...     e.send(Vector(e.src.x - e.dst.x, e.src.y - e.dst.y))
    >>> @program
    ... def forces(g):
    ...     return emv.sum(pull(g))
    >>> g = Graph.from_edges([0, 2], [1, 1])
    >>> g.vertices.x, g.vertices.y = [0.0, 1.0, 5.0], [0.0, 1.0, 1.0]
    >>> forces(g, backend="python")
    array([[ 0.,  0.],
           [ 3., -1.],
           [ 0.,  0.]])
    """

    __slots__ = ()

    def __new__(cls, *parts: Any) -> Vector:
        """Return the vector of some numbers."""
        return super().__new__(cls, parts)

    def __class_getitem__(cls, item: Any) -> Any:
        """Return the annotation of vectors of a type and size."""
        kind, size = item if isinstance(item, tuple) and len(item) == 2 else (item, 0)
        dtype = dtype_of(kind)
        whole = isinstance(size, int) and not isinstance(size, bool)
        if dtype is None or not (whole and 1 <= size <= LARGEST):
            raise TypeMismatchError(
                "Vector[...] needs a number type and how many there are, from 1 to 64",
                caller_loc(),
                "Write Vector[f32, 3].",
            )
        return VectorType((short_name(dtype),) * size)
