"""The kernels of generators, and of parts of what they draw, compile and stay in registers."""

from __future__ import annotations

import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda.kernels import dtypes_of, source_of
from emv.config import config

pytest.importorskip("numba_cuda")

WHOLE, FLOAT = "=int64", "=float64"
KERNELS = {
    "generate.rmat": ["int32", "int32", *[WHOLE] * 12],
    "generate.uniform": ["int32", "int32", *[WHOLE] * 7],
    "generate.along_axis": ["int64", "int64", *[WHOLE] * 5],
    "generate.integers": ["int32", *[WHOLE] * 5],
    "generate.floats": ["float64", WHOLE, WHOLE, WHOLE, FLOAT, FLOAT],
    "fill_rows.count_rows": ["int32", "int32", "uint64", *[WHOLE] * 2],
    "fill_rows.count_held": ["int32", "int32", "uint8", "int64", *[WHOLE] * 4],
    "fill_rows.take_held": ["int32", "int32", "uint8", "int64", "int32", "int32", *[WHOLE] * 4],
    "fill_rows.put_rows": ["uint32", "uint32", "uint64", "int32", "uint32", WHOLE],
    "fill_rows.move_on": ["uint32", "uint64", WHOLE],
    "fill_rows.spread_from": ["uint64", "uint32", *[WHOLE] * 3],
    "fill_rows.flag_senders": ["int32", "int32", "uint8", "uint8", WHOLE],
    "build.put_places": ["uint32", "uint32", WHOLE, WHOLE],
    "build.stay": ["uint8", "uint32", WHOLE, WHOLE],
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compile(name, tmp_path):
    kinds = KERNELS[name]
    num_arrays = sum(not kind.startswith("=") for kind in kinds)
    source = source_of((name, num_arrays, len(kinds) - num_arrays))
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes_of(source, kinds))
    assert binary.cubin[:4] == b"\x7fELF"
    assert (binary.stack_bytes, binary.spill_bytes) == (0, 0)
    assert binary.registers <= 64
