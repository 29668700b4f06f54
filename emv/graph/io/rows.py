"""Edges as lines of text, a block at a time, and what a format must hold of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.tables import Tables

ROWS_AT_ONCE = 1 << 16
FIRST_COMPILED = 1 << 14  # rows; loading the kernel takes longer than fewer


def write_rows(
    file: IO[bytes],
    ends: tuple[NDArray[Any], NDArray[Any]],
    values: NDArray[Any] | None,
    separator: bytes,
    first_id: int = 0,
) -> None:
    r"""Write a line for each edge: its two ends and, if there is one, its value.

    Parameters
    ----------
    file : binary file
        Where to.
    ends : (int[n], int[n])
        Numbers of vertices, from 0 on.
    values : any[n] or None
        Numbers; a float is written with the digits that it is read back from to the last bit.
    separator : bytes
        The one byte between two columns.
    first_id : int
        What vertex 0 is called.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_rows(file, (np.array([0, 1]), np.array([1, 2])), np.array([0.1, 2.0]), b"\t")
    >>> file.getvalue()
    b'0\t1\t0.1\n1\t2\t2.0\n'
    """
    for rows in _slices(len(ends[0])):
        src, dst = (each[rows].astype(np.int64) + first_id for each in ends)
        texts = None if values is None else number_texts(values[rows])
        if len(ends[0]) < FIRST_COMPILED:
            file.write(_lines(src, dst, texts, separator))
        else:
            file.write(_compiled_lines(src, dst, texts, separator))


def number_texts(values: NDArray[Any]) -> list[str]:
    """Return numbers as texts that are read back as the same numbers; 1 and 0 for bools.

    Examples
    --------
    >>> number_texts(np.array([0.1, 1e300, -0.0])), number_texts(np.array([True, False]))
    (['0.1', '1e+300', '-0.0'], ['1', '0'])
    """
    plain = values.astype(np.uint8) if values.dtype.kind == "b" else values
    return list(map(repr, plain.tolist()))


def _slices(num_rows: int) -> Iterator[slice]:
    for first in range(0, num_rows, ROWS_AT_ONCE):
        yield slice(first, first + ROWS_AT_ONCE)


def _lines(
    src: NDArray[Any], dst: NDArray[Any], texts: list[str] | None, separator: bytes
) -> bytes:
    columns = [map(str, src.tolist()), map(str, dst.tolist())]
    if texts is not None:
        columns.append(map(str, texts))
    joined = separator.decode().join
    return "".join(f"{joined(fields)}\n" for fields in zip(*columns, strict=True)).encode()


def _compiled_lines(
    src: NDArray[Any], dst: NDArray[Any], texts: list[str] | None, separator: bytes
) -> memoryview:
    from emv_kernels.cpu.write import MOST_BYTES_PER_ROW, format_rows

    tails = b"" if texts is None else ("\n".join(texts) + "\n").encode()
    out = np.empty(len(src) * MOST_BYTES_PER_ROW + len(tails), np.uint8)
    num_bytes = format_rows(src, dst, separator[0], np.frombuffer(tails, np.uint8), out)
    return out[:num_bytes].data


def refuse_columns(
    tables: Tables,
    title: str,
    *,
    vertex_columns: tuple[str, ...] = (),
    edge_columns: tuple[str, ...] = ("weight",),
) -> None:
    """Refuse columns that a format cannot hold.

    Parameters
    ----------
    title : str
        What the format is called, such as ``"an edge list"``.
    vertex_columns, edge_columns : tuple of str
        Those that it can hold.

    Raises
    ------
    GraphError
        If there are others; the message names the first.
    """
    for kind, columns, held in (
        ("vertex", tables.vertex_columns, vertex_columns),
        ("edge", tables.edge_columns, edge_columns),
    ):
        lost = [name for name in columns if name not in held]
        if lost:
            raise GraphError(
                f"{title} cannot hold the {kind} column '{lost[0]}'",
                remedy=f'give drop=("{lost[0]}",) to leave it out, or write another format',
            )


def refuse_large(weight: NDArray[Any] | None, title: str) -> None:
    """Refuse weights that are whole numbers beyond int64, for a format that is read as int64.

    Raises
    ------
    GraphError
        If there are such weights.
    """
    if weight is not None and weight.dtype == np.uint64 and (weight >= 2**63).any():
        raise GraphError(f"{title} cannot hold a weight from 2**63 on", remedy="write .mtx")


def refuse_labels(tables: Tables, title: str) -> None:
    """Refuse labels, for a format that cannot hold any.

    Raises
    ------
    GraphError
        If there are labels.
    """
    if tables.labels is not None:
        raise GraphError(
            f"{title} cannot hold labels",
            remedy='give drop=("labels",) to write the numbers 0..n-1 of the vertices instead',
        )
