"""What a call puts on a GPU's stream besides its launch, on a stand-in that counts."""

from __future__ import annotations

import numpy as np
import pytest
from backends.cuda_cases import some_graph
from fake_cuda import fresh

import emv
from emv.algorithms import bfs, components, sssp
from emv.backends.cuda.answers import OutOfMemoryError
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import DEVICES, Device
from emv.backends.cuda.results import FIRST_BYTES
from emv.backends.cuda.staging import PIECE, STAGED_FROM
from emv.config import config
from emv.runtime.drive import execute

CONTROL_BYTES = 2**14  # more than the control block has


def copies(driver) -> list[int]:
    """Return the bytes of every copy since the calls were last forgotten."""
    return [call[3] for call in driver.calls if call[0] == "copy"]


def test_a_second_call_moves_nothing_but_the_control_block(fake_cuda):
    graph = some_graph()
    for function, fills in ((bfs, 2), (sssp, 3), (components, 1)):
        made = fresh(function)
        arguments = () if function is components else (0,)
        for _ in range(2):
            made(graph, *arguments, backend="cuda")
        allocated = fake_cuda.allocated_bytes
        fake_cuda.calls.clear()
        made(graph, *arguments, backend="cuda")
        sets = 1 if function is components else 0  # which begin as a copy of what lies there
        assert len(copies(fake_cuda)) == 2 + sets, function.name
        assert max(copies(fake_cuda)) < CONTROL_BYTES
        assert fake_cuda.count("launch") == 1
        assert fake_cuda.count("fill") <= fills, function.name
        assert fake_cuda.allocated_bytes == allocated


def test_who_is_interrupted_behind_a_launch_ends_it(fake_cuda, monkeypatch):
    graph, made = some_graph(), fresh(bfs)
    wanted = [made(graph, 0, backend="cuda").tolist() for _ in range(3)][-1]

    def interrupted(*given):
        fake_cuda.calls.clear()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(execute, "Results", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made(graph, 0, backend="cuda")
    told = DEVICES[0].told.ctypes.data
    assert told in [
        call[2] for call in fake_cuda.calls if call[0] == "copy"
    ]  # a launch may be endless
    assert made(graph, 0, backend="cuda").tolist() == wanted


def test_a_changed_column_goes_up_and_no_other(fake_cuda):
    graph, made = some_graph(), fresh(sssp)
    graph.edges.weight = np.ones(graph.num_edges, np.float32)
    first = made(graph, 0, backend="cuda").tolist()
    fake_cuda.calls.clear()
    graph.edges.weight = np.full(graph.num_edges, 2.0, np.float32)
    again = made(graph, 0, backend="cuda").tolist()
    assert again == [2 * each for each in first]
    assert len(copies(fake_cuda)) == 2 + 1 + 1  # the control block, the column, the result
    fake_cuda.calls.clear()
    assert made(graph, 0, backend="cuda").tolist() == again
    assert len(copies(fake_cuda)) == 2 + 1


def test_results_on_a_gpu_are_not_those_of_the_next_run(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    first = made(graph, 0, backend="cuda")
    wanted = first.tolist()
    second = made(graph, 1, backend="cuda")
    assert first.address != second.address
    assert first.tolist() == wanted


def test_long_arrays_go_up_in_pieces_by_way_of_pinned_memory(fake_cuda):
    device = DEVICES[0]
    values = np.random.default_rng(1).integers(0, 99, STAGED_FROM + 3, dtype=np.int32)
    with config.using(num_threads=3):
        fake_cuda.calls.clear()
        memory = device.upload(values)
        sources = {call[2] for call in fake_cuda.calls if call[0] == "copy"}
        assert len(copies(fake_cuda)) == -(-values.nbytes // PIECE)
        assert sources <= fake_cuda.pinned.keys()
        assert len(sources) == 6  # two buffers a thread
    back = np.empty_like(values)
    device.download(memory.address, back)
    assert (back == values).all()


def test_short_arrays_and_one_thread_need_no_pinned_memory(fake_cuda):
    device = Device(fake_cuda)
    for size, threads in ((STAGED_FROM // 4 - 1, 4), (STAGED_FROM, 1)):
        fake_cuda.calls.clear()
        with config.using(num_threads=threads):
            device.upload(np.zeros(size, np.int32))
        assert len(copies(fake_cuda)) == 1


def test_a_system_that_pins_no_memory_copies_as_the_driver_does(fake_cuda, monkeypatch):
    device = Device(fake_cuda)

    def refused(_: int) -> int:
        raise OutOfMemoryError

    monkeypatch.setattr(fake_cuda, "allocate_pinned", refused)
    values = np.arange(STAGED_FROM, dtype=np.int32)
    with config.using(num_threads=2):
        fake_cuda.calls.clear()
        memory = device.upload(values)
    assert copies(fake_cuda) == [values.nbytes]
    back = np.empty_like(values)
    device.download(memory.address, back)
    assert (back == values).all()


def test_a_graph_of_many_edges_has_the_ends_that_it_was_given(fake_cuda):
    rng = np.random.default_rng(2)
    src, dst = (rng.integers(0, 1000, 2**21 + 5) for _ in range(2))
    with config.using(num_threads=3):
        made = emv.Graph.from_edges(src, dst, directed=False)
    assert made.edges.src.dtype == np.int32
    assert (made.edges.src == src).all()
    assert (made.edges.dst == dst).all()
    assert not np.shares_memory(made.edges.endpoints()[0], src)
    assert made.num_vertices == 1 + max(src.max(), dst.max())
    assert made.num_arcs == 2 * len(src) - np.count_nonzero(src == dst)


def test_results_come_down_into_pinned_memory_that_no_two_share(fake_cuda):
    values = np.arange(FIRST_BYTES // 4, dtype=np.int32)
    there = from_host(DEVICES[0], values)
    first, second = there.numpy(), there.numpy()
    assert fake_cuda.count("pin") == 2
    assert not np.shares_memory(first, second)
    first[:] = 0
    assert (second == values).all()
    view = second[5:].reshape(-1, 1)
    address = second.ctypes.data
    del second, first
    third, fourth = there.numpy(), there.numpy()  # the first's memory, and new one: a view is left
    assert fake_cuda.count("pin") == 3
    assert address not in (third.ctypes.data, fourth.ctypes.data)
    assert view[0, 0] == 5
    del view
    assert there.numpy().ctypes.data == address
    assert third.flags.writeable
    assert from_host(DEVICES[0], values[:99]).numpy().tolist() == values[:99].tolist()
    assert fake_cuda.count("pin") == 3


def test_only_so_much_is_pinned(fake_cuda):
    pool = DEVICES[0].results
    pool.most_bytes = 3 * FIRST_BYTES
    size, dtype = FIRST_BYTES, np.dtype(np.uint8)
    held = [pool.array(size, dtype) for _ in range(5)]
    assert fake_cuda.count("pin") == 3
    assert pool.pinned_bytes == 3 * FIRST_BYTES
    held.clear()
    larger = pool.array(2 * size, dtype)  # for which what is kept goes
    assert fake_cuda.count("unpin") == 3
    assert pool.pinned_bytes == 2 * FIRST_BYTES
    assert len(larger) == 2 * size
