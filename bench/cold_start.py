"""Time what a person waits for before the first result, and what a run takes in memory.

Usage: python -m bench.cold_start [--rounds 5] [--json FILE]

Three figures, each a fresh process: ``import emv``, in seconds of the processor beyond those of
``import numpy``; the main job, ``emv run pagerank`` on wiki-Vote, with empty caches of kernels; the
same again with the caches it filled. Byte code is kept, as pip does where it installs a package.
Prints the medians (of the cold run there is one), the peak memory and the limits; exits 1 when one
is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
GRAPH = ROOT / "bench" / "graphs" / "wiki-Vote.txt.gz"
IMPORT = (
    "import time, numpy; start = time.process_time(); "
    "import emv; print(time.process_time() - start)"
)
MAIN_JOB = [sys.executable, "-m", "emv", "run", "pagerank", str(GRAPH)]


@dataclass(frozen=True)
class Figure:
    """One measured figure: seconds, the limit it must keep, peak memory of the process."""

    what: str
    seconds: float
    limit_s: float
    peak_bytes: int

    def line(self) -> str:
        """Return the line of the table."""
        verdict = "met" if self.seconds <= self.limit_s else "MISSED"
        peak = f"{self.peak_bytes / 2**20:,.0f} MiB"
        return (
            f"{self.what:<28}{self.seconds:8.3f} s of {self.limit_s:5.2f} s {verdict:<8}{peak:>10}"
        )


def run(command: list[str], environment: dict[str, str]) -> tuple[float, int, str]:
    """Run a process that must succeed; return its seconds, peak bytes and output."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    kilobytes = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * kilobytes, output


def median_of(what: str, limit_s: float, runs: list[tuple[float, int]]) -> Figure:
    """Return the median time and the largest peak of some runs."""
    seconds = statistics.median(each for each, _ in runs)
    return Figure(what, seconds, limit_s, max(peak for _, peak in runs))


def measure(rounds: int) -> list[Figure]:
    """Measure the three figures."""
    imports = []
    with tempfile.TemporaryDirectory() as folder:
        kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/python"}
        run([sys.executable, "-c", IMPORT], kept)
        for _ in range(rounds):
            _, peak, output = run([sys.executable, "-c", IMPORT], kept)
            imports.append((float(output), peak))
        caches = {"EMV_CACHE": f"{folder}/emv", "NUMBA_CACHE_DIR": f"{folder}/numba", **kept}
        cold = run(MAIN_JOB, caches)[:2]
        warm = [run(MAIN_JOB, caches)[:2] for _ in range(rounds)]
    return [
        median_of("import emv beyond numpy", 0.15, imports),
        median_of("first run, empty cache", 10.0, [cold]),
        median_of("second process", 1.5, warm),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; return 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description="Time import, first and second run of emv.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args(arguments)
    figures = measure(options.rounds)
    print("\n".join(figure.line() for figure in figures))
    if options.json:
        report = {"machine": describe_machine(), "rows": [asdict(each) for each in figures]}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(figure.seconds > figure.limit_s for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
