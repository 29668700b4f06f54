"""Arrays of several spans on a simulated GPU, copied by whatever number of entries they move."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv.backends.cuda import splice
from emv.backends.cuda.array import empty, from_host
from emv.backends.cuda.device import device
from emv.backends.cuda.kernels import launch

SIZE = 2700


@pytest.fixture
def gpu(monkeypatch):
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


@pytest.mark.parametrize("begin", [0, 1, 2, 3])
@pytest.mark.parametrize("moved", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.uint8])
def test_entries_before_a_span_move_it(gpu, begin, moved, dtype):
    whole = np.arange(SIZE + begin).astype(dtype)
    old, added = whole[begin:], np.full(moved, 9, dtype)
    with gpu.current():
        given = from_host(gpu, whole)[begin:]
        places = from_host(gpu, np.arange(moved, dtype=np.uint32))
        found = splice.Splice(gpu, SIZE, places, None).of(given, from_host(gpu, added))
        np.testing.assert_array_equal(found, np.append(added, old))
        gone, left = from_host(gpu, np.arange(moved, dtype=np.uint32)), SIZE - moved
        made = empty(gpu, left, np.dtype(dtype))
        launch(gpu, "splice.take_out", [given, gone, made], [moved, left], blocks=2)
        np.testing.assert_array_equal(made, old[moved:])


@pytest.mark.parametrize("most", [30, 2699])
def test_few_entries_go_one_beside_another_or_apart(gpu, most):
    draw = np.random.default_rng(3)
    gone = np.sort(draw.choice(most, 30, replace=False)).astype(np.uint32)
    old = draw.integers(0, 2**32, SIZE, dtype=np.uint32)
    with gpu.current():
        made = empty(gpu, SIZE - 30, old.dtype)
        arrays = [from_host(gpu, old), from_host(gpu, gone), made]
        launch(gpu, "splice.take_out", arrays, [30, SIZE - 30], blocks=2)
        np.testing.assert_array_equal(made, np.delete(old, gone))


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8"])
@pytest.mark.parametrize("size", [1, 7])
def test_one_value_shown_in_every_place_is_filled_in(gpu, dtype, size, monkeypatch):
    monkeypatch.setattr(type(gpu), "upload", None)
    shown = np.broadcast_to(np.dtype(dtype).type(3.5), size)
    assert from_host(gpu, shown).numpy().tolist() == shown.tolist()
