"""Sparse matrices that ``scipy.sparse.save_npz`` wrote: a zip file of numpy arrays.

Entry (i, j) is an edge from vertex i to vertex j and its value the edge's ``weight``, whatever
order the entries stand in; one that is stored twice is two edges, as a stored zero is one. All of
scipy's kinds are read: csr, csc, coo, bsr (every element of a block is stored) and dia (only what
is not zero is). scipy does not say what may be symmetric, so a square matrix is directed unless
``directed=False`` is given; one that is not square is bipartite, see `rectangle`.

What emv writes tells more, where a matrix alone would be read as another graph: in arrays of one
bool each, ``emv_undirected`` and ``emv_unweighted``, which scipy passes over.

Nothing is believed before it is checked: the directory of the zip file against the file's size,
each array's head against the directory, and every index against the shape. Arrays of Python
objects are refused.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import SHORT_NAMES
from emv.errors import GraphError, GraphFormatError
from emv.graph.build import first_positions, grouped
from emv.graph.io.drafts import replacing
from emv.graph.io.format import Format, Hints
from emv.graph.io.npy import read_head
from emv.graph.io.packing import EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION
from emv.graph.io.pieces import TIMES_PACKED
from emv.graph.io.rectangle import SIDE, matrix_tables, rectangle_of
from emv.graph.io.rows import refuse_columns, refuse_labels
from emv.graph.io.source import Source
from emv.graph.tables import Tables
from emv.graph.widths import index_dtype, with_dtype
from emv_kernels.aside import leavable

Arrays = dict[str, NDArray[Any]]

_TITLE = "a sparse matrix of scipy's (npz)"
_MAGIC = b"PK\x03\x04"
_BLOCK_BYTES = 1 << 20
_NAME_AT = 30  # where a member's name stands
_NEEDS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
_UNDIRECTED, _UNWEIGHTED = "emv_undirected", "emv_unweighted"
_READ = {
    *("format", "shape", "coords", _UNDIRECTED, _UNWEIGHTED),
    *(name for names in _NEEDS.values() for name in names),
}


def holds_arrays(source: Source) -> bool:
    """Return whether a file begins as a zip file whose first member is an array of numpy."""
    head = source.head
    if not head.startswith(_MAGIC) or len(head) < _NAME_AT:
        return False
    name_bytes = int.from_bytes(head[26:28], "little")
    return head[_NAME_AT : _NAME_AT + name_bytes].endswith(b".npy")


def read_npz(source: Source, hints: Hints) -> Tables:
    """Return the tables of a file of scipy's.

    Raises
    ------
    GraphFormatError
        If it is no such file, damaged, or its matrix is not what it says.
    """
    file = source.file
    try:
        arrays = _arrays(source)
    except GraphFormatError:
        raise
    except Exception as error:  # a damaged zip file makes its reader raise almost anything
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise GraphFormatError(f"cannot be read: {reason}", file) from None
    kind, shape = _kind(arrays, file), _shape(arrays, file)
    values = _values(arrays, file)
    if kind in ("bsr", "dia"):
        _refuse_growth(values, source)
    entries = {"coo": _of_coo, "dia": _of_diagonals}.get(kind, _of_rows)
    directed = hints.directed
    if directed is None and _is_said(_UNDIRECTED, arrays, file):
        directed = False
    tables = matrix_tables(
        shape, entries(kind, shape, arrays | {"data": values}, file), directed, file
    )
    return replace(tables, edge_columns={}) if _is_said(_UNWEIGHTED, arrays, file) else tables


def _arrays(source: Source) -> Arrays:
    """Return the arrays of a zip file, having checked its directory first."""
    file = source.file
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if len(set(names)) < len(names):
            raise GraphFormatError("holds an array twice", file)
        wanted = [member for member in members if member.filename.removesuffix(".npy") in _READ]
        unpacked = sum(member.file_size for member in wanted)
        size = source.num_bytes
        if unpacked > max(EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION * size):
            raise GraphFormatError(
                f"{size} bytes unpack to {unpacked}",
                file,
                remedy="save it with compressed=False if it is no zip bomb",
            )
        return {
            member.filename.removesuffix(".npy"): _array(archive, member, file) for member in wanted
        }


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str) -> NDArray[Any]:
    """Return one array of a zip file."""
    what = f"its array {member.filename.removesuffix('.npy')!r}"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise GraphFormatError(f"{what} is packed in a way that scipy does not write", file)
    with archive.open(member) as stream:
        head = read_head(stream, what, file)
        there = member.file_size - head.num_bytes
        if head.value_bytes != there:
            raise GraphFormatError(
                f"{what} of shape {head.shape} and {head.dtype} takes {head.value_bytes} bytes, "
                f"but {there} are there",
                file,
            )
        content, filled = np.empty(there, np.uint8), 0
        # no more is unpacked than there is room for, whatever the member holds
        while block := stream.read(min(_BLOCK_BYTES, there - filled)):
            content[filled : filled + len(block)] = np.frombuffer(block, np.uint8)
            filled += len(block)
    if filled != there:
        raise GraphFormatError(f"{what} is cut off", file)
    values: NDArray[Any] = content.view(head.dtype)
    return values.reshape(head.shape, order="F" if head.by_columns else "C")


def _kind(arrays: Arrays, file: str) -> str:
    """Return which of scipy's kinds a matrix is of."""
    given = arrays.get("format")
    if given is None or given.shape != () or given.dtype.kind not in "SU":
        raise GraphFormatError(
            "holds arrays, but no sparse matrix",
            file,
            remedy="write it with scipy.sparse.save_npz",
        )
    name = given.item()
    kind = name.decode("ascii", "backslashreplace") if isinstance(name, bytes) else str(name)
    if kind not in _NEEDS:
        raise GraphFormatError(f"its kind is {kind[:20]!r}, expected {', '.join(_NEEDS)}", file)
    if kind == "coo" and "coords" in arrays and arrays["coords"].ndim == 2:
        for name, index in zip(("row", "col"), arrays["coords"], strict=False):
            arrays[name] = index
    for name in _NEEDS[kind]:
        if name not in arrays:
            raise GraphFormatError(f"a {kind} matrix needs the array {name!r}", file)
    return kind


def _is_said(what: str, arrays: Arrays, file: str) -> bool:
    """Return whether a file says what only emv writes."""
    said = arrays.get(what, np.False_)
    if said.shape != () or said.dtype.kind != "b":
        raise GraphFormatError(f"its array {what!r} is {said.dtype}{said.shape}, not a bool", file)
    return bool(said)


def _shape(arrays: Arrays, file: str) -> tuple[int, int]:
    """Return rows and columns."""
    shape = arrays.get("shape")
    if shape is None or shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise GraphFormatError("its shape is not two numbers, as that of a matrix is", file)
    num_rows, num_columns = (int(each) for each in shape)
    if min(num_rows, num_columns) < 0 or max(num_rows, num_columns) >= 2**62:
        raise GraphFormatError(f"its shape is ({num_rows}, {num_columns})", file)
    return num_rows, num_columns


def _values(arrays: Arrays, file: str) -> NDArray[Any]:
    """Return the values, in the machine's byte order."""
    values = arrays["data"]
    if values.dtype.name not in SHORT_NAMES:
        raise GraphFormatError(
            f"its values are {values.dtype}, which emv does not store",
            file,
            remedy=f"expected one of {', '.join(SHORT_NAMES.values())}",
        )
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _refuse_growth(values: NDArray[Any], source: Source) -> None:
    """Refuse values whose rows and columns, which blocks and diagonals imply, take far more."""
    implied = 2 * np.dtype(np.int64).itemsize * values.size
    if implied > max(EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION * source.num_bytes):
        raise GraphFormatError(
            f"{source.num_bytes} bytes are {values.size} entries",
            source.file,
            remedy="save it as csr, in which each entry is there",
        )


def _index(arrays: Arrays, name: str, length: int, limit: int, file: str) -> NDArray[Any]:
    """Return an array of indices, `length` of them and all below `limit`."""
    index = arrays[name]
    if index.shape != (length,) or index.dtype.kind not in "iu":
        raise GraphFormatError(
            f"its array {name!r} is {index.dtype}{index.shape}, expected {length} whole numbers",
            file,
        )
    outside = (index < 0) | (index >= limit)
    if outside.any():
        at = int(np.argmax(outside))
        raise GraphFormatError(f"{name}[{at}] is {index[at]}, expected 0 to {limit - 1}", file)
    return index.astype(np.int32 if limit <= 2**31 else np.int64, copy=False)


def _of_coo(kind: str, shape: tuple[int, int], arrays: Arrays, file: str) -> Any:
    """Return row, column and value of each entry of a list of them."""
    values = arrays["data"]
    if values.ndim != 1:
        raise GraphFormatError(
            f"its values have shape {values.shape}, expected one per entry", file
        )
    row = _index(arrays, "row", len(values), shape[0], file)
    return row, _index(arrays, "col", len(values), shape[1], file), values


def _of_rows(kind: str, shape: tuple[int, int], arrays: Arrays, file: str) -> Any:
    """Return the entries of compressed rows, columns or rows of blocks."""
    values = arrays["data"]
    block = values.shape[1:]
    is_whole = len(block) == 0
    if kind == "bsr":
        is_whole = (
            len(block) == 2 and min(block) > 0 and not (shape[0] % block[0] or shape[1] % block[1])
        )
    if not is_whole or values.ndim == 0:
        raise GraphFormatError(f"its values have shape {values.shape} in a {kind} matrix", file)
    sizes = (shape[0] // block[0], shape[1] // block[1]) if block else shape
    num_major, num_minor = sizes[::-1] if kind == "csc" else sizes
    first = _first(arrays, num_major, len(values), file)
    minor = _index(arrays, "indices", len(values), num_minor, file)
    major = np.repeat(np.arange(num_major, dtype=minor.dtype), np.diff(first))
    if not block or len(values) == 0:
        values = values.ravel()
        return (minor, major, values) if kind == "csc" else (major, minor, values)
    down, right = np.divmod(np.arange(block[0] * block[1]), block[1])
    row = (major.astype(np.int64)[:, None] * block[0] + down).ravel()
    column = (minor.astype(np.int64)[:, None] * block[1] + right).ravel()
    return row, column, values.ravel()


def _first(arrays: Arrays, num_rows: int, num_entries: int, file: str) -> NDArray[Any]:
    """Return where the rows begin."""
    first = _index(arrays, "indptr", num_rows + 1, num_entries + 1, file)
    falls = first[1:] < first[:-1]
    if first[0] != 0 or first[-1] != num_entries or falls.any():
        at = int(np.argmax(falls)) if falls.any() else (0 if first[0] else num_rows)
        raise GraphFormatError(
            f"indptr[{at}] is {first[at]}: it must rise from 0 to the {num_entries} entries", file
        )
    return first.astype(np.int64, copy=False)


def _of_diagonals(kind: str, shape: tuple[int, int], arrays: Arrays, file: str) -> Any:
    """Return the entries of diagonals, those that are not zero, row after row of `data`."""
    values, offsets = arrays["data"], arrays["offsets"]
    if values.ndim != 2 or offsets.shape != (len(values),) or offsets.dtype.kind not in "iu":
        what = f"{values.shape[:1]} diagonals for offsets {offsets.dtype}{offsets.shape}"
        raise GraphFormatError(what, file)
    if len(np.unique(offsets)) < len(offsets):
        raise GraphFormatError("two diagonals have the same offset", file)
    diagonal, column = np.nonzero(values)
    row = column - offsets.astype(np.int64)[diagonal]
    inside = (row >= 0) & (row < shape[0]) & (column < shape[1])
    diagonal, column, row = diagonal[inside], column[inside], row[inside]
    return row, column, values[diagonal, column]


def write_npz(tables: Tables, path: Path) -> None:
    """Write a graph as a csr matrix of its arcs, an undirected one as a symmetric matrix.

    The values are the edge column ``weight``, or ones. Repeats stay apart entries; arcs are
    sorted by their row. That edges lead both ways or have no weights is said beside the matrix.

    Raises
    ------
    GraphError
        If there are labels or columns but ``weight`` and ``side``, or the name does not end in
        ``.npz``: the file is packed already.
    """
    import scipy.sparse

    if path.suffix.lower() in (".gz", ".zst"):
        raise GraphError(
            f"{os.fspath(path)}: an npz file is packed already", remedy=f"write it as {path.stem}"
        )
    src, dst, shape = tables.src, tables.dst, (tables.num_vertices, tables.num_vertices)
    values = tables.edge_columns.get("weight")
    values = np.ones(len(src)) if values is None else values
    rectangle = None if tables.directed else rectangle_of(tables)
    refuse_labels(tables, _TITLE)
    refuse_columns(tables, _TITLE, vertex_columns=() if rectangle is None else (SIDE,))
    if rectangle is not None:
        shape, dst = rectangle, dst - rectangle[0]
    elif not tables.directed:
        back = src != dst
        src, dst = np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]])
        values = np.concatenate([values, values[back]])
    row = with_dtype(src, index_dtype(shape[0]))
    first = first_positions(row, shape[0])
    arrays = grouped(row, values, first), grouped(row, dst, first), first.astype(np.int64)
    said = {
        _UNDIRECTED: not tables.directed and rectangle is None,
        _UNWEIGHTED: "weight" not in tables.edge_columns,
    }
    with replacing(path) as file:
        matrix = scipy.sparse.csr_array(arrays, shape=shape)
        leavable(lambda: scipy.sparse.save_npz(file, matrix), TIMES_PACKED * len(src))
        with zipfile.ZipFile(file, "a") as archive:
            for what in (what for what, is_so in said.items() if is_so):
                with archive.open(f"{what}.npy", "w") as member:
                    np.lib.format.write_array(member, np.array(True))


NPZ = Format(
    name="npz",
    title=_TITLE,
    suffixes=(".npz",),
    recognises=holds_arrays,
    read=read_npz,
    write=write_npz,
    keeps=frozenset({"direction", "isolated", "repeats", "weight"}),
)
