"""The figures of building on a GPU, on a simulated one: rows are whole, and faults are found."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from bench import build
from bench.study import run
from emv.backends.cuda.device import device
from tests.stress import large_builds


@pytest.fixture
def gpu(monkeypatch, small_digits):
    install(SimulatedDriver(stops=0), monkeypatch)
    monkeypatch.setattr(build, "EVERY", {"random": (40, 70, True)})
    monkeypatch.setattr(large_builds, "LARGE", {"random 1G": (40, 70)})
    monkeypatch.setattr(large_builds, "NUM_WINDOWS", 3)
    monkeypatch.setattr(large_builds, "WINDOW", 16)
    return device()


def test_rows(gpu, capsys):
    assert run(*build.STUDIES, arguments=["gpu", "--graphs", "random", "--rounds", "1"]) in (
        0,
        1,
    )  # it is slow
    said = capsys.readouterr().out
    assert "arcs 70" in said
    assert "WRONG" not in said
    (row,) = build.gpu(("random",), 1)
    assert row["kept_bytes"] == 4 * (5 * 70 + 2 * 41) <= row["peak_bytes"]
    assert row["upload, ms"] > 0
    assert row["first, ms"] > 0


def test_a_wrong_array_is_found(gpu):
    arrays = build.arrays_of("random")
    from emv.backends.cuda.array import from_host

    src, dst = (from_host(gpu, each) for each in arrays[1:3])
    built = build.build_on_gpu((40, src, dst, True))
    assert large_builds.check(built, src, dst) == build.differ(built, arrays) == ""
    for name, fault in (
        ("out_other", "out_other does not follow edge_of_arc"),
        ("slot_of_arc", "slot_of_arc is no permutation"),
        ("edge_of_arc", "edge_of_arc is no permutation"),
        ("in_first", "in_first does not rise from 0 to the number of arcs"),
    ):
        right = built.made[name]
        values = right.numpy()
        values[0] += 1
        built.made[name] = from_host(gpu, values)
        assert large_builds.check(built, src, dst) == fault
        assert build.differ(built, arrays) == name
        built.made[name] = right
    swapped = built.made["edge_of_arc"].numpy()
    swapped[:2] = swapped[1::-1]
    built.made["edge_of_arc"] = from_host(gpu, swapped)
    assert "edge_of_arc" in large_builds.check(built, src, dst)
    assert np.array_equal(np.sort(swapped), np.arange(70))
