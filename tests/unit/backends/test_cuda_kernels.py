"""Kernels written by hand: what is compiled for them, without a GPU."""

from __future__ import annotations

import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda.kernels import dtypes_of, source_of
from emv.config import config

pytest.importorskip("numba_cuda")


def test_numbers_are_parameters_of_their_own(tmp_path):
    source = source_of(("moves.gather", 3, 1))
    dtypes = dtypes_of(source, ["float64", "uint32", "float64", "=int64"])
    assert dtypes == {"a0": "float64", "a1": "uint32", "a2": "float64", "n0": "=int64"}
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes)
    assert binary.cubin[:4] == b"\x7fELF"
    assert 0 < binary.registers <= 32
    assert binary.stack_bytes == 0


@pytest.mark.parametrize(
    ("function", "arrays", "num_numbers", "most_registers"),
    [
        ("sort.scatter", ["uint32", "uint32", "int64", "uint32", "uint32"], 6, 64),
        ("sort.count_digits", ["uint32", "int64"], 4, 32),
        ("build.rows_in_order", 6 * ["uint32"], 2, 40),
    ],
)
def test_kernels_of_building_stay_in_registers(
    tmp_path, function, arrays, num_numbers, most_registers
):
    source = source_of((function, len(arrays), num_numbers))
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes_of(source, arrays + num_numbers * ["=int64"]))
    assert binary.registers <= most_registers
    assert (binary.stack_bytes, binary.spill_bytes) == (0, 0)
    assert binary.shared_bytes <= 40 * 2**10


@pytest.mark.parametrize(
    ("function", "arrays", "numbers", "most_registers"),
    [
        ("bound", 4 * ["float32"], 2 * ["=int64"], 40),
        (
            "walk_in_plane",
            [*3 * ["float32"], "uint32", *2 * ["float32"]],
            [*2 * ["=float64"], *3 * ["=int64"]],
            56,
        ),
    ],
)
def test_kernels_of_repulsion_stay_in_registers(
    tmp_path, function, arrays, numbers, most_registers
):
    kinds = [*arrays, *sorted(numbers)]
    source = source_of((f"repulsion.{function}", len(arrays), len(numbers)))
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes_of(source, kinds))
    assert binary.registers <= most_registers
    assert (binary.stack_bytes, binary.spill_bytes) == (0, 0)


ROWS = 5 * ["uint32"]
RESIDUALS = [*ROWS, "float32", "bool", *["float32"], *3 * ["int64"], "float32", *4 * ["uint32"]]
SWEEPS = [*ROWS, *2 * ["float32"], *4 * ["int64"], "float32", *2 * ["uint32"]]
LOWERED = ["uint32", "uint32", "int64", "int64", "uint32", "uint32", "int32"]
SHARES = [*3 * ["=int64"], *4 * ["=float64"]]


@pytest.mark.parametrize(
    ("function", "arrays", "numbers"),
    [
        ("residuals.settle", [*RESIDUALS, "float64", "int64"], [*SHARES, *3 * ["=int64"]]),
        (
            "residual_sweeps.settle",
            [*SWEEPS, "float64", "int64"],
            [*SHARES, "=float64", *2 * ["=int64"]],
        ),
        (
            "lower.along_arcs",
            [*LOWERED, *3 * ["uint32"], "float64", *4 * ["int64"], "float64"],
            [*3 * ["=int64"], "=float64", *7 * ["=int64"]],
        ),
    ],
)
def test_kernels_of_updates_let_two_blocks_run_on_a_multiprocessor(
    tmp_path, function, arrays, numbers
):
    source = source_of((function, len(arrays), len(numbers)))
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes_of(source, arrays + numbers))
    assert binary.registers <= 64
    assert binary.shared_bytes <= 40 * 2**10
    assert binary.spill_bytes <= 256  # of what is the same for all rounds


def test_parameters_are_counted():
    with pytest.raises(ValueError, match="zip"):
        dtypes_of(source_of(("moves.gather", 3, 1)), ["float64"])
