"""The original ids of vertices: what they were called before they were numbered 0..n-1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError


def vertex_of(labels: Labels | None, num_vertices: int, label: Any) -> int:
    """Return the vertex of a label, or of a graph without labels the vertex with that id."""
    if labels is not None:
        return labels.id_of(label)
    is_id = isinstance(label, int | np.integer) and not isinstance(label, bool)
    if not is_id or not 0 <= label < num_vertices:
        raise GraphError(f"{label!r} is no vertex; the graph has {num_vertices}, from 0")
    return int(label)


class Labels:
    """A label per vertex, and the way back from a label to its vertex.

    Parameters
    ----------
    labels : array_like
        ``any[num_vertices]``, index = vertex id. Anything hashable; all different.

    Raises
    ------
    GraphError
        If two vertices have the same label.

    Examples
    --------
    >>> labels = Labels(["ann", "bob"])
    >>> labels.id_of("bob"), labels.read()
    (1, array(['ann', 'bob'], dtype=object))
    """

    __slots__ = (
        "_count",
        "_id_of_label",
        "_is_checked",
        "_is_shared",
        "_kept",
        "_later",
        "_load",
        "_sorted",
    )

    def __init__(self, labels: Sequence[Any] | NDArray[Any]) -> None:
        self._kept: NDArray[Any] | None = _label_array(labels)
        self._count = len(self._kept)
        self._load: Callable[[], NDArray[Any]] | None = None
        self._id_of_label: dict[Any, int] | None = None
        self._later: list[Any] = []
        self._sorted: tuple[NDArray[Any], NDArray[Any]] | None = None
        self._is_checked = False
        self._is_shared = False  # whether a twin has the same dictionary
        self._check()

    @classmethod
    def deferred(cls, count: int, load: Callable[[], NDArray[Any]]) -> Labels:
        """Return labels that are loaded when first asked for, and then kept as they are.

        Parameters
        ----------
        count : int
            How many there will be.
        load : callable
            Returns them: integers, or an array of objects.
        """
        made = cls(())
        made._kept, made._count, made._load = None, count, load
        made._id_of_label, made._is_checked = None, False
        return made

    def twin(self) -> Labels:
        """Return the same labels, to which more can be added without adding them to these."""
        made = Labels.deferred(len(self), self.read)
        if self._kept is not None:  # else a chain of versions would hold the labels of all
            made._kept, made._load = self.read(), None
        made._id_of_label, made._is_checked = self._id_of_label, self._is_checked
        made._sorted = self._sorted
        made._is_shared = self._is_shared = True
        return made

    def of_rows(self, rows: NDArray[np.intp]) -> Labels:
        """Return the labels of some vertices, which are different as those of all are."""
        left = self.read()[rows]
        made = Labels.deferred(len(left), lambda: left)
        made._kept = left  # to be checked: what is left may not be in increasing order
        return made

    def __len__(self) -> int:
        return self._count + len(self._later)

    def __reduce__(self) -> tuple[type[Labels], tuple[NDArray[Any]]]:
        return Labels, (self.read(),)

    @property
    def _values(self) -> NDArray[Any]:
        """The labels but for those added later."""
        if self._kept is None:
            assert self._load is not None
            self._kept = self._load()
        return self._kept

    def read(self) -> NDArray[Any]:
        """Return the labels as a read-only array."""
        if self._later:
            self._kept = _longer(self._values, self._later)
            self._count = len(self._kept)
            self._later = []
        lent = self._values.view()
        lent.flags.writeable = False
        return lent

    def check_new(self, label: Any) -> None:
        """Refuse a label that some vertex has already, or that cannot be looked up."""
        try:
            taken = self._index().get(label)
        except TypeError:
            raise GraphError(f"label {label!r} cannot be hashed") from None
        if taken is not None:
            raise GraphError(f"label {label!r} already is that of vertex {taken}")

    def append(self, label: Any) -> None:
        """Add the label of one more vertex, which `check_new` has passed."""
        index = self._index()
        if self._is_shared:
            self._id_of_label, self._is_shared = index.copy(), False
        self._index()[label] = len(self)
        self._later.append(label)
        self._sorted = None

    def append_numbers(self, first: int, count: int) -> None:
        """Add whole numbers in a row, all of them above those there are, as labels."""
        numbers = np.arange(first, first + count, dtype=np.int64)
        kept = np.concatenate([self.read().astype(np.int64), numbers])
        self._kept, self._count = kept, len(kept)
        self._id_of_label = self._sorted = None

    def extend(self, labels: Any) -> None:
        """Add the labels of more vertices, or refuse one that is not new.

        Raises
        ------
        GraphError
            If some vertex has it already, or it cannot be looked up.

        Examples
        --------
        >>> labels = Labels([10, 30])
        >>> labels.extend(np.array([20, 5]))
        >>> labels.read(), labels.find([5, 30])
        (array([10, 30, 20,  5]), array([3, 1]))
        """
        if not self._merged(labels):
            for label in labels.tolist() if isinstance(labels, np.ndarray) else labels:
                self.check_new(label)
                self.append(label)

    def _merged(self, labels: Any) -> bool:
        """Add whole numbers to whole numbers without a dictionary of all; False if that fails."""
        if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu":
            return False
        values = self.read() if len(self) else labels[:0]
        if values.dtype != labels.dtype or (self.find(labels) >= 0).any():
            return False
        order = np.argsort(labels, kind="stable")
        added = labels[order]
        if (added[1:] == added[:-1]).any():
            return False
        rows, ascending = self._ascending() if len(values) else (values.astype(np.intp), values)
        at = np.searchsorted(ascending, added)
        self._sorted = np.insert(rows, at, len(values) + order), np.insert(ascending, at, added)
        self._kept = np.concatenate([values, labels])
        self._count = len(self._kept)
        self._id_of_label, self._is_checked = None, False
        return True

    def find(self, labels: Any) -> NDArray[np.int64]:
        """Return the vertices of some labels, -1 where no vertex has one.

        Examples
        --------
        >>> Labels([10, 30, 20]).find([20, 7])
        array([ 2, -1])
        """
        values = self.read()
        wanted = labels if isinstance(labels, np.ndarray) else None
        if wanted is None and values.dtype.kind in "iu" and all(type(x) is int for x in labels):
            wanted = np.asarray(labels) if len(labels) else np.empty(0, values.dtype)
        if wanted is None or wanted.dtype.kind != values.dtype.kind or not len(values):
            return self._looked_up(labels if wanted is None else wanted.tolist())
        rows, ascending = self._ascending()
        at = np.minimum(np.searchsorted(ascending, wanted), len(values) - 1)
        return np.where(ascending[at] == wanted, rows[at], -1)

    def _looked_up(self, labels: Any) -> NDArray[np.int64]:
        index = self._index()
        try:
            return np.fromiter((index.get(each, -1) for each in labels), np.int64, len(labels))
        except TypeError:
            raise GraphError("labels must be hashable, such as numbers or texts") from None

    def _ascending(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the vertices in the order of their labels, which are integers, and these."""
        if self._sorted is None:
            values = self.read()
            rows = np.argsort(values, kind="stable")
            self._sorted = rows, values[rows]
        return self._sorted

    def id_of(self, label: Any) -> int:
        """Return the vertex of a label.

        Raises
        ------
        GraphError
            If no vertex has it.
        """
        self._check()
        if self._id_of_label is None and isinstance(label, int | np.integer):
            vertex = int(np.searchsorted(self._values, label))
            if vertex < len(self._values) and self._values[vertex] == label:
                return vertex
            raise GraphError(f"no vertex has the label {label!r}")
        try:
            return self._index()[label]
        except KeyError:
            raise GraphError(f"no vertex has the label {label!r}") from None
        except TypeError:
            raise GraphError(
                f"{label!r} is a {type(label).__name__}, which is no label",
                remedy="ask for one label at a time, or for g.ids_of(labels)",
            ) from None

    def _check(self) -> None:
        """Make sure that labels can be looked up, and that all are different."""
        if not self._is_checked:
            if not self._is_increasing():
                self._index()
            self._is_checked = True

    def _is_increasing(self) -> bool:
        """Whether a label can be found by bisection, without a dictionary of all of them."""
        values = self._values
        return values.dtype.kind in "iu" and bool((values[:-1] < values[1:]).all())

    def _index(self) -> dict[Any, int]:
        if self._id_of_label is None:
            values = self.read().tolist()
            try:
                index = {label: vertex for vertex, label in enumerate(values)}
            except TypeError:
                raise GraphError("labels must be hashable, such as numbers or texts") from None
            if len(index) < len(values):
                twice = next(label for vertex, label in enumerate(values) if index[label] > vertex)
                raise GraphError(f"two vertices have the label {twice!r}")
            self._id_of_label = index
        return self._id_of_label


def _longer(values: NDArray[Any], more: list[Any]) -> NDArray[Any]:
    """Return labels and some more; integers are not taken apart."""
    added = _label_array(more)
    if values.dtype.kind in "iu" and added.dtype == values.dtype:
        return np.concatenate([values, added])
    return _label_array([*values.tolist(), *more])


def _label_array(labels: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Return integer labels as an integer array, all others as an array of Python objects."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu":
        return labels.copy()
    values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if values and all(type(each) is int for each in values):
        array = np.array(values)
        if array.dtype.kind in "iu":
            return array
    return np.fromiter(values, dtype=object, count=len(values))
