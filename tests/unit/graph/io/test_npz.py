"""scipy's npz files: read and written by both, and the damaged ones refused."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from graph_files import DATA
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv.errors import GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import npz
from emv.graph.io.format import Hints
from emv.graph.io.source import Source

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
KINDS = ("csr", "csc", "coo", "bsr", "dia")


def read(path: Path, directed: bool | None = None) -> Graph:
    return Graph.of_tables(npz.read_npz(Source(path), Hints(directed)))


def entries(matrix) -> list[tuple[int, int, float]]:
    coo = matrix.tocoo()
    return sorted(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True))


def edges(g: Graph, num_rows: int = 0) -> list[tuple[int, int, float]]:
    ends = g.edges.src.tolist(), (g.edges.dst - num_rows).tolist()
    return sorted(zip(*ends, g.edges.weight.tolist(), strict=True))


def save(path: Path, **arrays) -> Path:
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_array", [True, False])
@pytest.mark.parametrize("compressed", [True, False])
def test_every_kind_of_scipy_is_read(tmp_path, kind, is_array, compressed) -> None:
    dense = np.random.default_rng(1).integers(0, 3, (6, 6)) * 0.5
    matrix = getattr(sparse, f"{kind}_{'array' if is_array else 'matrix'}")(dense)
    if kind == "bsr":
        matrix = sparse.bsr_array(dense, blocksize=(3, 2))
    path = tmp_path / "matrix.npz"
    sparse.save_npz(path, matrix, compressed)
    assert npz.holds_arrays(Source(path))
    g = read(path)
    assert (g.num_vertices, g.directed) == (6, True)
    assert edges(g) == entries(sparse.load_npz(path))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(4, 6), (6, 3)])
def test_a_matrix_that_is_not_square_is_bipartite(tmp_path, kind, shape) -> None:
    dense = np.random.default_rng(2).integers(0, 2, shape).astype(np.int32)
    matrix = getattr(sparse, f"{kind}_array")(dense)
    sparse.save_npz(tmp_path / "m.npz", matrix)
    g = read(tmp_path / "m.npz")
    assert (g.num_vertices, g.directed, read(tmp_path / "m.npz", True).directed) == (
        sum(shape),
        False,
        True,
    )
    assert g.vertices.side.tolist() == [0] * shape[0] + [1] * shape[1]
    assert g.vertices.side.dtype == np.uint8
    assert edges(g, shape[0]) == entries(matrix)
    npz.write_npz(g.tables(), tmp_path / "again.npz")
    assert (sparse.load_npz(tmp_path / "again.npz") != matrix.tocsr()).nnz == 0


def test_the_files_there_are() -> None:
    g = read(DATA / "npz" / "citeseer_csr.npz")
    assert (g.num_vertices, g.num_edges, g.directed) == (3312, 4715, True)
    matrix = sparse.load_npz(DATA / "npz" / "citeseer_csr.npz")
    assert edges(g) == entries(matrix)
    assert not matrix.has_sorted_indices


def test_repeats_zeros_and_the_order_of_entries_are_kept(tmp_path) -> None:
    matrix = sparse.coo_array(([3, 0, 1, 2], ([1, 1, 0, 1], [0, 0, 1, 0])), shape=(3, 3))
    sparse.save_npz(tmp_path / "m.npz", matrix)
    g = read(tmp_path / "m.npz")
    assert g.edges.src.tolist() == [1, 1, 0, 1]
    assert g.edges.weight.tolist() == [3, 0, 1, 2]
    path = save(
        tmp_path / "csr.npz",
        format=b"csr",
        shape=(2, 2),
        data=np.array([5, 6, 7]),
        indices=np.array([1, 0, 0], np.uint64),
        indptr=np.array([0, 3, 3], np.int64),
    )
    assert edges(read(path)) == [(0, 0, 6), (0, 0, 7), (0, 1, 5)]


@given(g=graphs(weighted=True))
@FIXED
def test_what_is_written_scipy_reads_alike(tmp_path, g) -> None:
    path = tmp_path / "m.npz"
    npz.write_npz(g.tables(), path)
    assert entries(sparse.load_npz(path)) == entries(g.to_scipy())
    back = read(path)
    assert back.directed == g.directed
    assert back.num_vertices == g.num_vertices
    assert back.num_edges == g.num_edges
    assert entries(back.to_scipy()) == entries(g.to_scipy())
    assert entries(read(path, directed=True).to_scipy()) == entries(g.to_scipy())


def test_what_a_matrix_does_not_say_is_said_beside_it(tmp_path) -> None:
    emv.write(Graph.from_edges([0], [1], directed=False), tmp_path / "m.npz")
    back = emv.read(tmp_path / "m.npz")
    assert (back.directed, back.num_edges, back.edges.names()) == (False, 1, [])
    assert sparse.load_npz(tmp_path / "m.npz").toarray().tolist() == [[0, 1], [1, 0]]
    emv.write(Graph.from_edges([0], [1], weight=[2]), tmp_path / "m.npz")
    with zipfile.ZipFile(tmp_path / "m.npz") as archive:
        assert not [name for name in archive.namelist() if name.startswith("emv")]


@pytest.mark.parametrize("said", [1, [True], "yes"])
def test_what_is_said_beside_a_matrix_is_a_bool(tmp_path, said) -> None:
    with pytest.raises(GraphFormatError, match=r"'emv_unweighted' is .*, not a bool"):
        read(save(tmp_path / "m.npz", **CSR, emv_unweighted=np.array(said)))


def test_what_is_read_can_be_taken_over(tmp_path) -> None:
    """Kernels are compiled for arrays that can be written."""
    matrix = sparse.csr_array(np.eye(4, dtype=np.int32))
    sparse.save_npz(tmp_path / "m.npz", matrix)
    g = emv.read(tmp_path / "m.npz")
    for array in (*g.edges.endpoints(), g.edges.stored("weight"), g.layouts.out_rows.other):
        assert array.flags.writeable


def test_a_large_graph_is_written_alike(tmp_path) -> None:
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 1000, (2, 2**18 + 5))
    g = Graph.from_edges(src, dst, weight=np.arange(len(src)))
    npz.write_npz(g.tables(), tmp_path / "m.npz")
    back = read(tmp_path / "m.npz")
    order = np.argsort(back.edges.weight)
    assert np.array_equal(back.edges.src[order], src)
    assert np.array_equal(back.edges.dst[order], dst)


def test_undirected_needs_a_symmetric_matrix(tmp_path) -> None:
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_array(np.array([[0, 1], [2, 0]])))
    with pytest.raises(GraphFormatError, match=r"m\.npz: .*symmetric.*leave out directed=False"):
        read(tmp_path / "m.npz", directed=False)


def test_what_the_format_cannot_hold_is_refused(tmp_path) -> None:
    g = Graph.from_edges([0], [1], weight=[1], labels=["a", "b"])
    with pytest.raises(GraphError, match=r"cannot hold labels\n"):
        npz.write_npz(g.tables(), tmp_path / "m.npz")
    g = Graph.from_edges([0], [1], km=[1])
    with pytest.raises(GraphError, match=r"cannot hold the edge column 'km'\n"):
        npz.write_npz(g.tables(), tmp_path / "m.npz")


def test_a_packed_name_is_refused(tmp_path) -> None:
    with pytest.raises(GraphError, match=r"packed already\nwrite it as m\.npz"):
        npz.write_npz(Graph().tables(), tmp_path / "m.npz.gz")


CSR = {
    "format": b"csr",
    "shape": (2, 3),
    "data": np.ones(3),
    "indices": np.array([0, 1, 2]),
    "indptr": np.array([0, 2, 3]),
}
COO = {
    "format": "coo",
    "shape": (2, 2),
    "data": np.ones(2),
    "row": np.array([0, 1]),
    "col": np.array([0, 1]),
}


@pytest.mark.parametrize(
    ("base", "changed", "what"),
    [
        (CSR, {"format": b"xyz"}, r"its kind is 'xyz', expected csr"),
        (CSR, {"format": 3}, r"no sparse matrix"),
        (CSR, {"shape": (2, 3, 4)}, r"its shape is not two numbers"),
        (CSR, {"shape": (-2, 3)}, r"its shape is \(-2, 3\)"),
        (CSR, {"shape": (2.0, 3.0)}, r"its shape is not two numbers"),
        (CSR, {"shape": (2, 2)}, r"indices\[2\] is 2, expected 0 to 1"),
        (CSR, {"shape": (5, 3)}, r"'indptr' is int64\(3,\), expected 6 whole numbers"),
        (CSR, {"shape": (2, 2**40)}, r"vertices for 3 entries"),
        (CSR, {"shape": (2**62, 3)}, r"its shape is"),
        (CSR, {"indices": np.array([0, -1, 2])}, r"indices\[1\] is -1, expected 0 to 2"),
        (CSR, {"indices": np.array([0, 1])}, r"'indices' is int64\(2,\), expected 3"),
        (CSR, {"indices": np.array([0.0, 1, 2])}, r"'indices' is float64"),
        (CSR, {"indptr": np.array([0, 3, 2])}, r"indptr\[1\] is 3: it must rise"),
        (CSR, {"indptr": np.array([1, 2, 3])}, r"indptr\[0\] is 1: it must rise"),
        (CSR, {"indptr": np.array([0, 2, 2])}, r"indptr\[2\] is 2: it must rise"),
        (CSR, {"data": np.ones((3, 2))}, r"its values have shape \(3, 2\) in a csr matrix"),
        (CSR, {"data": np.array(1.0)}, r"its values have shape \(\) in a csr"),
        (CSR, {"data": np.ones(3, complex)}, r"its values are complex128"),
        (CSR, {"data": np.array(["2020"] * 3, "M8[Y]")}, r"its values are datetime64"),
        (CSR, {"data": np.array([1, 2, None])}, r"'data' holds Python objects"),
        (CSR, {"data": None}, r"'data' holds Python objects"),
        (CSR, {"format": b"bsr", "data": np.ones((3, 2, 2))}, r"shape \(3, 2, 2\) in a bsr"),
        (COO, {"col": np.array([0, 2])}, r"col\[1\] is 2, expected 0 to 1"),
        (COO, {"row": np.array([0])}, r"'row' is int64\(1,\), expected 2"),
        (COO, {"data": np.ones((2, 1))}, r"expected one per entry"),
        (COO, {"shape": (2**40, 2**40)}, r"vertices for 2 entries"),
        (COO, {"format": "dia", "offsets": np.array([0])}, r"diagonals for offsets"),
        (
            COO,
            {"format": "dia", "offsets": np.array([1, 1]), "data": np.ones((2, 2))},
            r"two diagonals have the same offset",
        ),
    ],
)
def test_a_matrix_that_is_not_what_it_says_is_refused(tmp_path, base, changed, what) -> None:
    path = save(tmp_path / "m.npz", **(base | changed))
    with pytest.raises(GraphFormatError, match=what) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("missing", ["format", "shape", "data", "indices", "indptr"])
def test_a_missing_array_is_named(tmp_path, missing) -> None:
    path = save(tmp_path / "m.npz", **{name: CSR[name] for name in CSR if name != missing})
    with pytest.raises(GraphFormatError):
        read(path)


def head_of(shape: tuple[int, ...], dtype: str = "<f8") -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return stream.getvalue()


def zipped(path: Path, **changed: bytes) -> Path:
    members = {}
    for name, value in CSR.items():
        stream = io.BytesIO()
        np.save(stream, np.asanyarray(value))
        members[name] = stream.getvalue()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | changed).items():
            archive.writestr(f"{name}.npy", content)
    return path


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (head_of((2**40,)) + bytes(24), r"takes 8796093022208 bytes, but 24 are there"),
        (head_of((2,)) + bytes(24), r"takes 16 bytes, but 24 are there"),
        (head_of((3,))[:30], r"'data' is no array of numpy"),
        (b"", r"'data' is no array of numpy"),
        (b"\x93NUMPY\x09\x00" + bytes(200), r"no array of numpy|version"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, r"no array of numpy"),
        (head_of((3,), "|O") + b"cos\nsystem\n", r"holds Python objects"),
        (head_of((-3,)), r"expected numbers"),
    ],
)
def test_an_array_that_lies_is_refused(tmp_path, content, what) -> None:
    with pytest.raises(GraphFormatError, match=what):
        read(zipped(tmp_path / "m.npz", data=content))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(npz, "EXPANSION_FLOOR_BYTES", 1 << 16)
    content = head_of((1 << 17,)) + bytes(1 << 20)
    with pytest.raises(GraphFormatError, match=r"bytes unpack to 10\d\d\d\d\d"):
        read(zipped(tmp_path / "m.npz", data=content))


def test_a_bomb_that_hides_its_size_is_not_unpacked(tmp_path) -> None:
    head = head_of((3,))
    path = zipped(tmp_path / "m.npz", data=head + bytes(16 << 20))
    size, said = ((len(head) + each).to_bytes(4, "little") for each in (16 << 20, 24))
    assert path.read_bytes().count(size) == 2
    path.write_bytes(path.read_bytes().replace(size, said))
    tracemalloc.start()
    with pytest.raises(GraphFormatError, match=r"Bad CRC-32"):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_other_ways_of_packing_are_refused(tmp_path) -> None:
    path = tmp_path / "m.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("format.npy", b"")
    with pytest.raises(GraphFormatError, match=r"'format' is packed in a way that scipy does not"):
        read(path)


def test_cut_and_changed_files_give_an_error_or_a_graph(tmp_path) -> None:
    good = zipped(tmp_path / "good.npz").read_bytes()
    path = tmp_path / "m.npz"
    rng = np.random.default_rng(4)
    num_refused = 0
    for _ in range(300):
        content = bytearray(good)
        if rng.random() < 0.3:
            content = content[: rng.integers(0, len(good))]
        else:
            for at in rng.integers(0, len(good), 3):
                content[at] = rng.integers(0, 256)
        path.write_bytes(content)
        try:
            read(path)
        except GraphFormatError:
            num_refused += 1
    assert num_refused > 200


@given(st.binary(max_size=300))
@FIXED
def test_garbage_is_refused(tmp_path, content) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(b"PK\x03\x04" + content)
    with pytest.raises(GraphFormatError):
        read(path)
