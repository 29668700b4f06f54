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


def processor() -> str:
    """Return the processor's name as Linux knows it, elsewhere as Python does."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def commit() -> str:
    """Return the commit measured, with a ``+`` when tracked files differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    if shutil.which("git") is None or not git("rev-parse", "HEAD"):
        return os.environ.get("BENCH_COMMIT", "unknown")  # of a copy without its history
    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "HEAD") + ("+" if changed else "")


def describe_machine() -> dict[str, Any]:
    """Return what is needed to judge a figure: machine, load, versions, commit, date."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "threads": config.num_threads,
        "load_average": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version_of(name) for name in LIBRARIES},
        "commit": commit(),
    }
