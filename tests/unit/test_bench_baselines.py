"""The hand-written kernels without a GPU: compiled for sm_90a, and run in numba's simulator."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("needs numba-cuda", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *("bfs_harish", "sssp_harish", "bfs_virtual_warp"),
    *("bfs_merrill", "bfs_hybrid", "matching", "pagerank_pull"),
)
MOST_SPILLED_BYTES = {"iterate_5": 32}  # by intention: more rows in flight; the other has none
BARRIERS = {"search_all": 2, "search_both": 3, "iterate_4": 3, "iterate_5": 3}


def usage(kernel, signature):
    """Compile and link a kernel; return its registers and the bytes it stores to its stack."""
    from cuda.core import Linker, LinkerOptions, ObjectCode
    from numba import cuda

    bounds = kernel.targetoptions.get("launch_bounds")
    code, _ = cuda.compile(
        kernel.py_func,
        signature,
        device=False,
        abi="numba",
        output="ltoir",
        cc=(9, 0, "a"),
        launch_bounds=bounds,
    )
    options = LinkerOptions(arch="sm_90a", link_time_optimization=True, verbose=True)
    linker = Linker(ObjectCode.from_ltoir(bytes(code)), options=options)
    linker.link("cubin")
    log = linker.get_info_log()
    spilled = re.search(r"(\d+) bytes spill stores", log)[1]
    return int(re.search(r"Used (\d+) registers", log)[1]), int(spilled)


def spins(text):
    """Return how many loops of a PTX text load again and again, ordered, until they may go on."""
    blocks = re.split(r"^(\$\w+):", text, flags=re.MULTILINE)
    pairs = zip(blocks[1::2], blocks[2::2], strict=True)
    return sum("ld.acquire.gpu" in block and f"bra \t{label};" in block for label, block in pairs)


@pytest.fixture
def hopper(monkeypatch):
    dispatcher = pytest.importorskip("numba.cuda.dispatcher")

    class Hopper:
        compute_capability = (9, 0)

    monkeypatch.setattr(dispatcher, "get_current_device", lambda: Hopper)


@pytest.mark.parametrize("file", ["bfs_merrill", "bfs_hybrid", "pagerank_pull"])
def test_barriers_wait_in_the_machine_code_too(file, hopper):
    from numba import cuda

    for name, (kernel, signature) in importlib.import_module(
        f"tests.baselines.{file}"
    ).KERNELS.items():
        text, _ = cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=(9, 0))
        assert text.count("atom.acq_rel.gpu") == BARRIERS.get(name, 0), name
        assert spins(text) == BARRIERS.get(name, 0), name


@pytest.mark.paper("S169", "S157")
@pytest.mark.parametrize("file", FILES)
def test_kernels_compile_and_fit_their_registers(file, hopper):
    pytest.importorskip("cuda.core")
    module = importlib.import_module(f"tests.baselines.{file}")
    for name, (kernel, signature) in module.KERNELS.items():
        registers, spilled = usage(kernel, signature)
        assert registers <= 64, name
        assert spilled <= MOST_SPILLED_BYTES.get(name, 0), name


@pytest.mark.parametrize(
    "name",
    [
        "harish",
        "virtual_warp",
        "sssp_harish",
        "matching",
        pytest.param("merrill", marks=pytest.mark.large),
        pytest.param("hybrid", marks=pytest.mark.large),
        pytest.param("pagerank", marks=pytest.mark.large),
    ],
)
def test_methods_are_right_in_the_simulator(name):
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "unit" / "simulated_baselines.py"), name],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
