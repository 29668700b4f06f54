"""Break files of every format in many ways and see that no reader breaks of them.

Usage: python -m bench.fuzz_files [--inputs 100000] [--seed 1] [--reader NAME ...] [--jobs 1]
           [--failures FOLDER] [--json FILE]

For each reader of `emv.graph.io.FORMATS` a process of its own reads files in memory (/dev/shm):
half of them valid ones with some edits, half made by a grammar (`fuzz_inputs`, `fuzz_grammars`).
A reader must return a graph that holds together or raise `GraphFormatError` (`ArgumentError` where
``directed=`` does not go with the file), within 5 s and 200 MB. Prints a line per reader and exits
1 if any failed; the inputs that failed are kept in --failures. The same seed gives the same inputs.
"""

from __future__ import annotations

import argparse
import collections
import json
import logging
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from bench.fuzz_grammars import invented
from bench.fuzz_inputs import Input, broken, format_named, valid_inputs
from bench.machine import describe_machine
from emv.config import config
from emv.errors import ArgumentError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import FORMATS, read, text

MOST_SECONDS = 5.0
MOST_BYTES = 200 << 20
MOST_KEPT = 20  # failures of a reader whose files are kept
MEMORY = Path("/dev/shm")


@dataclass
class Outcome:
    """What a reader did with its inputs; failures are the kinds of those that were none of it."""

    reader: str
    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    slowest_ms: float = 0.0
    most_mb: float = 0.0
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        """How many inputs failed."""
        return sum(self.failures.values())

    def line(self) -> str:
        """Return the line of the table."""
        return (
            f"{self.reader:<15}{self.inputs:>9,}{self.accepted:>10,}{self.refused:>10,}"
            f"{self.failed:>8,}{self.slowest_ms:>11.1f}{self.most_mb:>9.0f}{self.seconds:>9.0f}"
        )


HEAD = (
    f"{'reader':<15}{'inputs':>9}{'accepted':>10}{'refused':>10}{'failed':>8}{'slowest ms':>11}"
    f"{'peak MB':>9}{'seconds':>9}"
)


def check_graph(graph: Graph) -> None:
    """Raise AssertionError if a graph does not hold together."""
    src, dst = graph.arcs()
    assert len(src) == len(dst) == graph.num_arcs
    if graph.num_arcs:
        assert min(src.min(), dst.min()) >= 0
        assert max(src.max(), dst.max()) < graph.num_vertices
    assert graph.labels is None or len(graph.labels) == graph.num_vertices
    for columns, length in ((graph.vertices, graph.num_vertices), (graph.edges, graph.num_edges)):
        for name in columns:
            assert np.asarray(columns[name]).shape == (length,)


def outcome_of(
    made: Input, reader: str | None, directed: bool | None, folder: Path
) -> tuple[str, str]:
    """Put files in a folder; return ``accepted``, ``refused`` or ``failed``, and why."""
    for name, content in made.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        check_graph(read(folder / made.opened, directed, format=reader))
    except (GraphFormatError, ArgumentError) as error:
        str(error)
        return "refused", ""
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        return "failed", f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
    return "accepted", ""


def fuzz(reader: str, num_inputs: int, seed: int, folder: Path, failures: Path | None) -> Outcome:
    """Give a reader so many inputs, in a folder that is emptied for each.

    Parameters
    ----------
    reader : str
        The name of a format.
    failures : Path or None
        Where the first inputs that fail are kept.
    """
    chance = random.Random(f"{reader} {seed}")
    valid = valid_inputs(format_named(reader))
    outcome = Outcome(reader)
    chunk_bytes, num_threads = text.CHUNK_BYTES, config.num_threads
    begin = time.perf_counter()
    try:
        for number in range(num_inputs):
            made = invented(reader, chance) if number % 2 else None
            made = made or broken(valid, chance)
            text.CHUNK_BYTES = chance.choice([7, 100, *[chunk_bytes] * 6])
            config.num_threads = chance.choice([1, 1, 1, 2])
            given = reader if chance.random() < 0.9 else None
            _count(outcome, made, given, chance.choice([None, None, True, False]), folder, failures)
    finally:
        text.CHUNK_BYTES, config.num_threads = chunk_bytes, num_threads
    outcome.seconds = time.perf_counter() - begin
    outcome.most_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return outcome


def _count(outcome: Outcome, made: Input, reader, directed, folder: Path, failures) -> None:
    """Read an input and count what came of it."""
    begin = time.perf_counter()
    kind, why = outcome_of(made, reader, directed, folder)
    seconds = time.perf_counter() - begin
    outcome.slowest_ms = max(outcome.slowest_ms, 1e3 * seconds)
    if seconds > MOST_SECONDS:
        kind, why = "failed", f"took {seconds:.1f} s"
    outcome.inputs += 1
    if kind == "failed":
        outcome.failures[why] = outcome.failures.get(why, 0) + 1
        if failures is not None and outcome.failures[why] == 1 and outcome.failed < MOST_KEPT:
            kept = failures / f"{outcome.reader}-{outcome.inputs}"
            shutil.copytree(folder, kept)
            (kept / "WHY").write_text(f"{why}\nopened {made.opened} {reader=} {directed=}\n")
    elif kind == "accepted":
        outcome.accepted += 1
    else:
        outcome.refused += 1
    for name in made.files:
        (folder / name).unlink(missing_ok=True)
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def limit_memory() -> None:
    """Make what asks for `MOST_BYTES` more than there is now fail with MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def work(options: argparse.Namespace) -> int:
    """Fuzz one reader in this process and print what came of it as JSON."""
    logging.getLogger("emv").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        fuzz(options.worker, 100, options.seed + 1, Path(folder), None)  # loads what it needs
        limit_memory()
        outcome = fuzz(options.worker, options.inputs, options.seed, Path(folder), options.failures)
    print(json.dumps(asdict(outcome)))
    return 0


def run(reader: str, options: argparse.Namespace) -> Outcome:
    """Fuzz one reader in a process of its own, which may die of it."""
    command = [sys.executable, "-m", "bench.fuzz_files", "--worker", reader]
    command += ["--inputs", str(options.inputs), "--seed", str(options.seed)]
    command += ["--failures", str(options.failures)]
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return Outcome(reader, failures={f"the process ended with {done.returncode}": 1})
    return Outcome(**json.loads(done.stdout))


def main(arguments: list[str] | None = None) -> int:
    """Fuzz the readers; return 1 when one failed."""
    names = [each.name for each in FORMATS]
    parser = argparse.ArgumentParser(description="Break files and see that no reader breaks.")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", nargs="*", choices=names, default=names)
    parser.add_argument("--jobs", type=int, default=1, help="readers at a time")
    parser.add_argument("--failures", type=Path, default=Path(tempfile.gettempdir(), "fuzz"))
    parser.add_argument("--worker", choices=names, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, help="also write the table there")
    options = parser.parse_args(arguments)
    options.failures.mkdir(parents=True, exist_ok=True)
    if options.worker:
        return work(options)
    print(HEAD)
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(lambda reader: run(reader, options), options.reader):
            outcomes.append(outcome)
            print(outcome.line(), flush=True)
            for why, number in collections.Counter(outcome.failures).most_common():
                print(f"  {number:>7,} x {why}")
    if options.json:
        limits = {"seconds": MOST_SECONDS, "bytes": MOST_BYTES, "seed": options.seed}
        rows = [asdict(each) for each in outcomes]
        report = {"machine": describe_machine(), "limits": limits, "rows": rows}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(outcome.failures for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
