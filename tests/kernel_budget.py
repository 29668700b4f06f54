"""What every algorithm's kernel on an H100 or H200 takes, and those of messages that wait.

They are found without a GPU.

Registers, spills and stack are what the linker says; instructions by kind are counted in what
``nvdisasm`` lists. `tests/kernel_budget.json` holds what was found when it was last written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

import sass
from algorithm_arguments import ARGUMENTS
from backends.buffer_cases import some
from fake_cuda import FakeDriver

import emv
from emv import Graph
from emv.algorithms import ALGORITHMS
from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import device as cuda_device
from emv.config import config
from emv.ir.kernel import KernelSource

FILE = Path(__file__).with_name("kernel_budget.json")
BUFFERED = {
    "slots and lists": {"tell_whole": emv.buffer("slots"), "say": emv.buffer("lists")},
    "sender and grouped": {"tell_whole": emv.buffer("sender"), "say": emv.buffer("grouped")},
}
BATCHED = {"bfs of 64 copies": "bfs", "sssp of 64 copies": "sssp"}
PROGRAMS = (*ALGORITHMS, *BUFFERED, *BATCHED)
COMPILERS = ("numba-cuda", "nvidia-nvvm", "nvidia-nvjitlink")
STRICT = (
    "spill_bytes",
    "stack_bytes",
    "LDL",
    "STL",
    "CAS",
    "FMA",
    "strays",
)  # have no room to grow


class CompileAskedFor(Exception):  # noqa: N818 - not an error
    """Ends a run at the moment at which its kernel would be compiled."""


def kernel_of(name: str) -> tuple[KernelSource, dict[str, str]]:
    """Return a program for a GPU, and the dtypes of its arrays."""
    directed = name in BUFFERED or name in BATCHED or ALGORITHMS[name].form != "undirected"
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], directed=directed, weight=[1.0, 2.0, 3.0])
    if name in BUFFERED:
        return compiled_in(lambda: some.run(graph, backend="cuda", schedule=BUFFERED[name]))
    if name in BATCHED:
        return compiled_in(
            lambda: ALGORITHMS[BATCHED[name]].run(graph, emv.batch([0] * 64), backend="cuda")
        )
    return compiled_in(lambda: ALGORITHMS[name].run(graph, *ARGUMENTS[name], backend="cuda"))


def compiled_in(run: Callable[[], Any]) -> tuple[KernelSource, dict[str, str]]:
    """Return the first program that a run compiles for a GPU, and the dtypes of its arrays."""

    def load(source: KernelSource, dtypes: dict[str, str], **named: Any) -> None:
        raise CompileAskedFor(source, dtypes)

    device = cuda_device.Device(FakeDriver())
    fake_compiler = mock.patch.object(cuda_compile, "load", load)
    fake_device = mock.patch.dict(cuda_device.DEVICES, {0: device})
    try:
        with fake_compiler, fake_device:
            run()
    except CompileAskedFor as asked:
        source, dtypes = asked.args
        return source, dtypes
    raise AssertionError("nothing was compiled")


def measure(name: str, cache: str) -> dict[str, int]:
    """Compile a program for sm_90a; return what its kernel takes."""
    with config.using(cache=Path(cache), deterministic=False, num_threads=2):
        source, dtypes = kernel_of(name)
        binary = cuda_compile.load(source, dtypes, arch="sm_90a")
    taken = {
        "registers": binary.registers,
        "spill_bytes": binary.spill_bytes,
        "stack_bytes": binary.stack_bytes,
        "shared_bytes": binary.shared_bytes,
    }
    return {**taken, **sass.kinds(binary.cubin), "strays": sass.strays(binary.cubin)}


def measure_all(cache: Path) -> dict[str, dict[str, int]]:
    """Measure every program, two at a time."""
    names = sorted(PROGRAMS)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return dict(zip(names, pool.map(measure, names, [str(cache)] * len(names)), strict=True))


def compilers() -> dict[str, str]:
    """Return the versions of what compiles."""
    return {name: cuda_compile.version(name) for name in COMPILERS}


def write(found: dict[str, dict[str, int]]) -> None:
    """Make what was found the budget."""
    FILE.write_text(json.dumps({"compilers": compilers(), **found}, indent=1) + "\n")


def room(kind: str, budget: int) -> int:
    """Return the most that passes: a twentieth above the budget, nothing for what is strict."""
    return budget if kind in STRICT else budget + budget // 20 + 2


def excess(found: dict[str, int], budget: dict[str, int]) -> list[str]:
    """Return what is above the budget, in words.

    >>> excess({"registers": 50, "LDL": 1}, {"registers": 40})
    ['registers: 50, at most 44', 'LDL: 1, at most 0']
    """
    return [
        f"{kind}: {count}, at most {room(kind, budget.get(kind, 0))}"
        for kind, count in found.items()
        if count > room(kind, budget.get(kind, 0))
    ]
