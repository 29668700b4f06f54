"""Index arrays built on a simulated GPU: those of the CPU, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.backends.cuda import hashed as cuda_hashed
from emv.backends.cuda import orders, sorting
from emv.backends.cuda.array import from_host
from emv.backends.cuda.busy import NAMES, DeviceBusy
from emv.backends.cuda.device import device
from emv.backends.cuda.index_arrays import DeviceIndexArrays, shape_of, survey
from emv.backends.cuda.orders import DeviceOrders
from emv.backends.cuda.sorting import sorted_places
from emv.graph import busy, gather, pull
from emv.graph.footprint import BUILT_FROM
from emv_kernels.cuda import sort_few

CHUNK = 64


@pytest.fixture
def gpu(monkeypatch):
    """Return a GPU of two blocks, which sorts in small chunks."""
    monkeypatch.setattr(sorting, "LEAST_CHUNK", CHUNK)
    monkeypatch.setattr(sorting, "FEWEST_CHUNKS", 0)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


@pytest.mark.parametrize(
    ("count", "num_keys", "dtype", "keeps"),
    [
        (0, 5, "uint32", True),
        (1, 1, "uint32", False),
        (400, 3, "uint64", True),
        (90, 70_000, "uint32", True),
        (90, 300, "uint32", False),
    ],
)
def test_sort(gpu, count, num_keys, dtype, keeps):
    keys = np.random.default_rng(count).integers(0, num_keys, count).astype(dtype)
    places, found = sorted_places(from_host(gpu, keys), num_keys, np.dtype(dtype), keeps)
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(places, order)
    assert places.dtype == dtype
    assert (found is None) is not keeps
    if keeps:
        np.testing.assert_array_equal(found, keys[order])


@pytest.mark.parametrize(
    ("count", "num_keys"), [(1, 1), (32, 4), (33, 2**31), (170, 9), (300, 300)]
)
def test_sort_by_ranks(gpu, small_ranks, count, num_keys):
    for dtype in ("uint32", "uint64"):
        test_sort(gpu, count, num_keys, dtype, True)


def test_sort_step_by_step(gpu, monkeypatch, small_digits):
    monkeypatch.setattr(sorting, "FEW_KEYS", 0)
    test_sort(gpu, 300, 300, "uint32", True)


def test_sort_of_many_chunks(gpu, monkeypatch, small_digits):
    monkeypatch.setattr(sort_few, "FEW_CHUNKS", 1)
    test_sort(gpu, 300, 300, "uint32", True)


def test_sums_of_those_before(gpu):
    values = np.arange(9_001) % 7
    found = from_host(gpu, values)
    sorting.add_up(found)
    np.testing.assert_array_equal(found, np.cumsum(values) - values)


def ends(shape: str) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the number of vertices and the ends of some edges."""
    size = {"none": 0, "single": 1, "wide": 260}.get(shape, 40)
    count = {"none": 0, "empty": 0, "single": 3}.get(shape, 90)
    src, dst = np.random.default_rng(7).integers(0, max(1, size), (2, count)).astype(np.int32)
    if shape == "star":
        dst[:] = 39
    if shape == "sorted":
        src.sort()
    if shape == "loops":
        dst[::2] = src[::2]
    return size, src, dst


def arrays_of(gpu, src, dst, num_vertices: int, directed: bool) -> DeviceIndexArrays:
    """Return what builds the index arrays of a graph."""
    src, dst = from_host(gpu, src), from_host(gpu, dst)
    return DeviceIndexArrays(gpu, shape_of(src, dst, num_vertices, directed), lambda: (src, dst))


SHAPES = [(shape, True) for shape in ("none", "empty", "single", "star", "sorted", "wide")]
SHAPES += [(shape, False) for shape in ("none", "single", "loops")]


@pytest.mark.usefixtures("small_digits")
@pytest.mark.parametrize(("shape", "directed"), SHAPES)
def test_every_array(gpu, shape, directed):
    size, src, dst = ends(shape)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=directed).layouts
    found = arrays_of(gpu, src, dst, size, directed)
    assert (found.num_arcs, found.arcs_are_edges) == (wanted.num_arcs, wanted.arcs_are_edges)
    for name in BUILT_FROM:
        if name == "edge_of_arc" and wanted.arcs_are_edges:
            continue
        if name == "row_bits":  # only kernels of cores read them
            continue
        expected = wanted.edge_of_slot if name == "edge_of_slot" else wanted._array(name)
        array = found.array(name)
        np.testing.assert_array_equal(array, expected, err_msg=name)
        assert array.dtype == expected.dtype
        assert array.nbytes == found.nbytes(name)


@pytest.mark.usefixtures("small_digits")
def test_what_is_forgotten_is_built_again(gpu):
    size, src, dst = ends("star")
    wanted = Graph.from_edges(src, dst, num_vertices=size).layouts
    found = arrays_of(gpu, src, dst, size, True)
    found.array("slot_of_arc")
    found.keep_only({"out_first", "slot_of_arc"})
    assert sorted(found.made) == ["out_first", "slot_of_arc"]
    np.testing.assert_array_equal(found.array("src_of_arc"), wanted.src_of_arc)
    np.testing.assert_array_equal(found.array("edge_of_arc"), wanted.edge_of_arc)


@pytest.mark.usefixtures("small_digits")
@pytest.mark.parametrize("shape", ["loops", "sorted"])
def test_columns(gpu, shape):
    size, src, dst = ends(shape)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=shape == "sorted").layouts
    found = arrays_of(gpu, src, dst, size, shape == "sorted")
    for dtype, order in (("uint8", "slot"), ("float64", "arc"), ("float64", "edge")):
        values = np.arange(len(src)).astype(dtype)
        array = found.in_order(from_host(gpu, values), order)
        np.testing.assert_array_equal(array, wanted.in_order(values, order))


def test_survey(gpu):
    src, dst = np.array([3, 3, 1, 2], np.int64), np.array([3, 5, 1, -7])
    found = survey(from_host(gpu, src), from_host(gpu, dst))
    assert found == {"lowest": -7, "highest": 5, "loops": 2, "descents": 1}


@pytest.mark.usefixtures("small_digits")
@pytest.mark.parametrize(("shape", "directed"), [("hub", True), ("even", True), ("regular", False)])
def test_orders_of_pulls_and_gathers(gpu, monkeypatch, shape, directed):
    for module, limit, value in (
        (pull, "WARP_HUB_ARCS", 40),
        (orders, "STEPS", (39, *pull.LIMITS)),
    ):
        monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr(pull.pull_order, "__defaults__", (40, 16))
    monkeypatch.setattr(pull.pieces_of, "__defaults__", (16,))
    monkeypatch.setattr(gather, "FEW", 5)
    monkeypatch.setattr(orders, "ROWS_OF_CHUNK", 33)
    size, src, dst = ends(shape)
    if shape == "hub":
        src[:70], dst[:80] = 3, 5
    if shape == "even":
        src, dst = np.arange(40, dtype=np.int32), np.arange(40, dtype=np.int32)[::-1]
    if shape == "regular":
        src = np.tile(np.arange(40, dtype=np.int32), 5)
        dst = np.roll(src, 7)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=directed).layouts
    found = DeviceOrders(arrays_of(gpu, src, dst, size, directed))
    assert (found.is_even, found.is_sorted) == (wanted.pull.is_even, wanted.gather.is_sorted)
    assert (found.num_hubs > 0, found.is_even, found.is_sorted) == {
        "hub": (True, False, True),
        "even": (False, True, False),
        "regular": (False, False, False),
    }[shape]
    assert found.num_pieces == len(wanted.pull.piece_vertex)
    assert found.num_senders == wanted.gather.num_senders
    names = {"pull": "order bins piece_vertex piece_begin piece_end hub_piece"}
    names["gather"] = "position first slot close_place close_slot piece_begin piece_end"
    names["heads"] = "place head arcs"
    for group, parts in names.items():
        for part in parts.split():
            expected = getattr(getattr(wanted, group), part)
            array = found.array(f"{group.replace('heads', 'pull')}_{part}")
            np.testing.assert_array_equal(array, expected, err_msg=f"{group}_{part}")
            assert array.dtype == expected.dtype


@pytest.mark.usefixtures("small_digits")
@pytest.mark.parametrize("directed", [True, False])
def test_whom_long_rows_ask_first(gpu, directed):
    """Rows of more arcs than a warp has lanes, several in one warp, with ties among the senders."""
    size, draw = 40, np.random.default_rng(3)
    src, dst = draw.integers(0, size, (2, 300)).astype(np.int32)
    dst[:180] = draw.integers(0, 3, 180)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=directed).layouts
    lengths, out = np.diff(wanted.in_rows.first), np.diff(wanted.out_rows.first)
    assert np.count_nonzero(lengths > 32) > 2
    found = DeviceOrders(arrays_of(gpu, src, dst, size, directed))
    order, heads = np.asarray(wanted.pull.order), found.array("pull_head").numpy()
    for place, v in enumerate(order):
        row = wanted.in_rows.other[wanted.in_rows.first[v] : wanted.in_rows.first[v + 1]]
        first = size if len(row) == 0 else wanted.heads.place[row[np.argmax(out[row])]]
        assert heads[place] == wanted.heads.head[place] == first


@pytest.mark.usefixtures("small_digits")
@pytest.mark.parametrize("most", [9, 40])
@pytest.mark.parametrize("directed", [True, False])
def test_busy_vertices(gpu, monkeypatch, directed, most):
    monkeypatch.setattr(busy, "LONG_ROW", 20)
    monkeypatch.setattr(busy, "MOST", most)
    size, draw = 50, np.random.default_rng(7)
    src, dst = draw.integers(0, size, (2, 400)).astype(np.int32)
    src[:40], dst[100:180] = 3, draw.integers(0, 4, 80)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=directed).layouts.busy
    arrays = arrays_of(gpu, src, dst, size, directed)
    found = DeviceBusy(arrays, DeviceOrders(arrays))
    assert found.words == wanted.words == -(-most // 32)
    assert np.any(wanted.entries >= busy.REPEATED)
    for name in NAMES:
        expected = getattr(wanted, name.removeprefix("busy_"))
        np.testing.assert_array_equal(found.array(name), expected, err_msg=name)
        assert found.array(name).dtype == expected.dtype


@pytest.mark.parametrize("longest", [19, 20])
def test_who_leads_to_nobody_busy(gpu, monkeypatch, longest):
    """All busy ones are senders, to whom no arc leads; or no row is long."""
    monkeypatch.setattr(busy, "LONG_ROW", 20)
    monkeypatch.setattr(busy, "MOST", 6)
    src = np.repeat(np.arange(6, dtype=np.int32), longest)
    dst = np.arange(6, 6 + len(src), dtype=np.int32)
    wanted = Graph.from_edges(src, dst).layouts.busy
    arrays = arrays_of(gpu, src, dst, 6 + len(src), True)
    found = DeviceBusy(arrays, DeviceOrders(arrays))
    assert found.words == wanted.words == (longest == 20)
    for name in NAMES:
        expected = getattr(wanted, name.removeprefix("busy_"))
        np.testing.assert_array_equal(found.array(name), expected, err_msg=name)


@pytest.mark.parametrize(("longest", "is_sorted"), [(3, True), (4, True), (40, True), (40, False)])
def test_hashes_of_short_rows(gpu, longest, is_sorted):
    draw = np.random.default_rng(longest)
    lengths = draw.integers(0, longest + 1, 60)
    lengths[7] = longest
    src = np.repeat(np.arange(60, dtype=np.int32), lengths)
    src, dst = src if is_sorted else src[::-1], draw.integers(0, 60, len(src)).astype(np.int32)
    wanted = Graph.from_edges(src, dst, num_vertices=60).layouts.hashed
    arrays = arrays_of(gpu, src, dst, 60, True)
    found = cuda_hashed.DeviceHashed(arrays, DeviceOrders(arrays))
    assert found.pays == (len(wanted.rows) > 0) == (is_sorted and longest > 3)
    for name in cuda_hashed.NAMES:
        expected = getattr(wanted, name.removeprefix("hashed_"))
        np.testing.assert_array_equal(found.array(name), expected, err_msg=name)
        assert found.array(name).dtype == expected.dtype
