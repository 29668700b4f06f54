"""Programs for a GPU compiled without one: what comes out, what is kept, what goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from sass import instructions, kinds

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda.compile import Binary, arch_of, load
from emv.config import config
from emv.errors import BackendUnavailableError, CompileError
from emv.ir.kernel import KernelSource

pytest.importorskip("numba_cuda")

TEXT = '''"""A program by hand."""
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add, fetch_min
from emv_kernels.cuda.jit import device


@device
def lower(dist, flags, index, value):
    if not flags[index] and value < dist[index]:
        fetch_min(dist, index, value)
        flags[index] = True


def program(state, dist, flags, x, y):
    t = cuda.grid(1)
    lower(dist, flags, t, state[0])
    x[t] = x[t] * y[t] + x[t + 1]
    fetch_add(state, 1, 1)
'''
DTYPES = {"state": "int64", "dist": "int32", "flags": "bool", "x": "float32", "y": "float32"}


def source_of(text: str, **lines: tuple[str, int]) -> KernelSource:
    numbers = {int(number.removeprefix("line")): place for number, place in lines.items()}
    return KernelSource("by_hand", text, {"program": tuple(DTYPES)}, {}, numbers)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cuda_compile, "loaded", {})
    with config.using(cache=tmp_path):
        yield tmp_path


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory) -> Binary:
    with config.using(cache=tmp_path_factory.mktemp("cubins")):
        return load(source_of(TEXT), DTYPES)


def test_facts(by_hand):
    assert by_hand.cubin[:4] == b"\x7fELF"
    assert "program" in by_hand.kernel
    assert by_hand.kernel.encode() in by_hand.cubin
    assert 0 < by_hand.registers <= 64
    assert (by_hand.spill_bytes, by_hand.stack_bytes, by_hand.shared_bytes) == (0, 0, 0)
    assert by_hand.seconds > 0


def test_products_and_sums_are_rounded_one_by_one(by_hand):
    opcodes = [opcode.split(".")[0] for opcode in instructions(by_hand.cubin)]
    assert "FMUL" in opcodes
    assert "FADD" in opcodes
    assert "FFMA" not in opcodes


def test_an_atomic_whose_result_nobody_uses_is_a_reduction(by_hand):
    assert kinds(by_hand.cubin).get("REDG") == 2
    assert "ATOMG" not in kinds(by_hand.cubin)


def test_truth_values_take_a_byte(by_hand):
    opcodes = instructions(by_hand.cubin)
    assert "LDG.E.U8" in opcodes
    assert "STG.E.U8" in opcodes


def test_another_process_compiles_nothing(empty_cache):
    program = f"""
import sys
from emv.backends.cuda.compile import load
from emv.ir.kernel import KernelSource
binary = load(KernelSource("by_hand", {TEXT!r}, {{"program": {tuple(DTYPES)!r}}}, {{}}), {DTYPES!r})
print(binary.kernel, sorted({{"numba", "cuda", "llvmlite"}} & set(sys.modules)))
"""
    environment = {**os.environ, "EMV_CACHE": str(empty_cache)}
    printed = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    assert "numba" in printed[0]
    assert printed[1] == printed[0].split()[0] + " []\n"


@pytest.mark.parametrize("left", [0, 20, -64])
def test_a_torn_file_is_made_again(empty_cache, left):
    first = load(source_of(TEXT), DTYPES)
    kept = next(empty_cache.rglob("*.binary"))
    kept.write_bytes(kept.read_bytes()[:left])
    cuda_compile.loaded.clear()
    again = load(source_of(TEXT), DTYPES)
    assert again.registers == first.registers
    assert len(again.cubin) >= len(first.cubin)  # a later name in a process may be longer
    assert cuda_compile.read(kept) == replace(again, seconds=0.0)


def test_a_changed_byte_is_noticed(tmp_path, by_hand):
    path = tmp_path / "kept"
    for place in (40, -1000):  # among the facts, and in the code
        cuda_compile.write(path, by_hand)
        assert cuda_compile.read(path) == replace(by_hand, seconds=0.0)
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)
        assert cuda_compile.read(path) is None


def test_dtypes_and_bounds_are_part_of_the_key(empty_cache):
    load(source_of(TEXT), DTYPES)
    load(source_of(TEXT), {**DTYPES, "dist": "uint32"})
    load(source_of(TEXT), DTYPES, bounds=(256, 4))
    load(source_of(TEXT), DTYPES, arch="sm_80")
    assert len(list(empty_cache.rglob("*.binary"))) == 4
    assert len(cuda_compile.loaded) == 4


def test_an_error_names_the_line_of_the_user(tmp_path):
    user = tmp_path / "user.py"
    user.write_text("\n\ndef lower(v):\n    v.flag = v.colour\n")
    broken = TEXT.replace("flags[index] = True", "flags[index] = index.colour")
    with pytest.raises(CompileError) as raised:
        load(source_of(broken, line12=("user.py", 4)), DTYPES, files=[str(user)])
    assert raised.value.what == (
        "by_hand: numba cannot compile this: Unknown attribute 'colour' of type int64"
    )
    assert str(raised.value.loc) == f"{user}:4"
    assert raised.value.loc.text == "    v.flag = v.colour"
    assert load(source_of(TEXT), DTYPES).registers > 0


def test_a_linker_older_than_the_compiler_is_told_of(monkeypatch):
    versions = {"nvidia-nvvm": "13.4.92", "nvidia-nvjitlink": "13.0.88"}
    monkeypatch.setattr(cuda_compile, "version", lambda name: versions.get(name, "1.0"))
    with pytest.raises(BackendUnavailableError, match=r"nvJitLink 13\.0\.88 cannot link") as raised:
        cuda_compile.check_compilers()
    assert "pip install" in raised.value.remedy


def test_a_numpy_that_numba_cuda_cannot_use_is_told_of(monkeypatch):
    versions = {"numba-cuda": "0.30.4", "numpy": "2.5.0"}
    monkeypatch.setattr(cuda_compile, "version", lambda name: versions.get(name, "1.0"))
    told = r"numba-cuda 0\.30\.4 does not work with NumPy 2\.5\.0"
    with pytest.raises(BackendUnavailableError, match=told) as raised:
        cuda_compile.check_compilers()
    assert "'numpy<2.5'" in raised.value.remedy
    versions["numba-cuda"] = "0.31.0"
    cuda_compile.check_compilers()


def test_numba_alone_does_not_do(monkeypatch):
    monkeypatch.setattr(cuda_compile, "version", lambda name: "")
    with pytest.raises(BackendUnavailableError, match="needs numba-cuda"):
        cuda_compile.check_compilers()


@pytest.mark.parametrize(
    ("capability", "arch"), [((9, 0), "sm_90a"), ((8, 0), "sm_80"), ((10, 0), "sm_100a")]
)
def test_architectures(capability, arch):
    assert arch_of(*capability) == arch
