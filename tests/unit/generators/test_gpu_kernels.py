"""The kernels of generators compile for a GPU, without one, and keep their numbers in registers."""

from __future__ import annotations

import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda.kernels import dtypes_of, source_of
from emv.config import config

pytest.importorskip("numba_cuda")

WHOLE, FLOAT = "=int64", "=float64"
KERNELS = {
    "rmat": ["int32", "int32", *[WHOLE] * 11],
    "uniform": ["int32", "int32", *[WHOLE] * 6],
    "along_axis": ["int64", "int64", *[WHOLE] * 4],
    "integers": ["int32", *[WHOLE] * 4],
    "floats": ["float64", WHOLE, WHOLE, FLOAT, FLOAT],
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compile(name, tmp_path):
    kinds = KERNELS[name]
    num_arrays = sum(not kind.startswith("=") for kind in kinds)
    source = source_of((f"generate.{name}", num_arrays, len(kinds) - num_arrays))
    with config.using(cache=tmp_path):
        binary = cuda_compile.load(source, dtypes_of(source, kinds))
    assert binary.cubin[:4] == b"\x7fELF"
    assert (binary.stack_bytes, binary.spill_bytes) == (0, 0)
    assert binary.registers <= 64
