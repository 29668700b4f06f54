"""What a result file says about the machine and the software it was measured with."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from emv.config import config
from emv.imports import version_of

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
LIBRARIES = ("numpy", "numba", "scipy", "networkx", "networkit", "python-graphblas")
GPU_LIBRARIES = ("numba-cuda", "cuda-core", "cuda-bindings", "cupy-cuda13x", "nvidia-nvjitlink")


def said_by(*command: str) -> str:
    """Return what a command says, nothing where it is not there."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def processor() -> str:
    """Return the processor's name as Linux knows it, elsewhere as Python does."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def commit() -> str:
    """Return the commit measured, with a ``+`` when tracked files differ from it."""
    head = said_by("git", "rev-parse", "HEAD")
    if not head:
        return os.environ.get("BENCH_COMMIT", "unknown")  # of a copy without its history
    return head + "+" * bool(said_by("git", "status", "--porcelain", "--untracked-files=no"))


def described_gpu() -> dict[str, Any]:
    """Return what the GPU is, where CuPy can say it: on a simulated one it is not there."""
    try:
        import cupy
    except ImportError:
        return {}
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    asked = "nvidia-smi", "--query-gpu=driver_version,clocks.max.sm", "--format=csv,noheader"
    return {
        "gpu": properties["name"].decode(),
        "gpu_memory_bytes": properties["totalGlobalMem"],
        "multiprocessors": properties["multiProcessorCount"],
        "driver": said_by(*asked),
        "cuda_of_driver": cupy.cuda.runtime.driverGetVersion(),
    }


def describe_machine(target: str = "cpu") -> dict[str, Any]:
    """Return what is needed to judge a figure: machine, load, versions, commit, date."""
    gpu = described_gpu() if target == "cuda" else {}
    libraries = (*LIBRARIES, *(GPU_LIBRARIES if gpu else ()))
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": config.num_threads,
        "load_average": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version_of(name) for name in libraries},
        "commit": commit(),
        **gpu,
    }
