"""Files of every format, broken in many ways, and what other parsers make of them: part of `trust`.

For each reader of emv, that of partitions included, files in memory (/dev/shm): half of them valid
ones with some edits, half made by a grammar (`fuzz_inputs`, `fuzz_grammars`), some of them packed.
A reader must return a graph that holds together and is the one that an independent parser reads
(`trust_oracles`), or raise `GraphFormatError` (`ArgumentError` where ``directed=`` does not go with
the file), within 2 s and, beyond 64 MB, 50 times the bytes of the files. The same seed gives the
same inputs.
"""

from __future__ import annotations

import collections
import contextlib
import gzip
import logging
import random
import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from emv.config import config
from emv.errors import ArgumentError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import FORMATS, find_format, read, text
from emv.graph.io.partition import read_partition
from emv.graph.io.source import Source
from tests.stress import trust_oracles
from tests.stress.fuzz_grammars import invented
from tests.stress.fuzz_inputs import Input, broken, format_named, valid_inputs, valid_partitions
from tests.stress.trust_plain import fields_of, lines_of

Counts = collections.Counter[str]

MOST_SECONDS = 2.0
HANGS_AFTER = 30.0
BYTES_BESIDE = 64 << 20
TIMES_THE_SIZE = 50
MOST_KEPT = 20  # inputs that fail, of a job
INPUTS_OF_A_JOB = 10_000
MEMORY = Path("/dev/shm")
PARTITION = "partition"
READERS = (*(each.name for each in FORMATS), PARTITION)
WELL_KNOWN = (
    Input({"a.txt": b"0 1\n"}, "a.txt"),
    Input({"a.csv": b"from,to\na,b\n"}, "a.csv"),
)
PACKED = {"matrix-market", "edge-list", "ncol", "dimacs", "metis", PARTITION}
"""Readers that get one file in twenty packed."""


class Said(logging.Handler):
    """Collects what emv warns of while it reads."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())


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


@contextlib.contextmanager
def bounded(num_bytes: int, beside: int) -> Iterator[None]:
    """Let what takes too much memory fail with MemoryError, and what never ends with TimeoutError.

    Parameters
    ----------
    num_bytes : int
        Of the files that are read.
    beside : int
        Bytes that any of them may take.
    """

    def late(*_: object) -> None:
        raise TimeoutError

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + beside + TIMES_THE_SIZE * num_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, HANGS_AFTER)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Fuzzer:
    """Gives a reader inputs, in a folder that is emptied for each, and counts what comes of them.

    Parameters
    ----------
    reader : str
        One of `READERS`.
    seed : int
        Of the inputs.
    folder : Path
        Where they are put.
    failures : Path or None
        Where the first inputs that fail are kept.
    """

    beside = BYTES_BESIDE

    def __init__(self, reader: str, seed: int, folder: Path, failures: Path | None = None) -> None:
        self.reader = reader
        self.chance = random.Random(f"{reader} {seed}")
        self.folder = folder
        self.failures = failures
        self.counts = Counts()
        self.said = Said()
        is_partition = reader == PARTITION
        self.valid = valid_partitions() if is_partition else valid_inputs(format_named(reader))
        self.warm()

    def warm(self) -> None:
        """Read what is valid, and what any reader begins with: all is imported and compiled then.

        Where there is too little memory for that, OpenBLAS and LLVM wait for it for ever.
        """
        for made in (*WELL_KNOWN, *self.valid):
            path = self.placed(made)
            with contextlib.suppress(GraphFormatError, ArgumentError):
                read_partition(path) if self.reader == PARTITION else read(path)
            self.clear()

    def run(self, num_inputs: int) -> Counts:
        """Return what came of so many inputs."""
        chunk_bytes = text.CHUNK_BYTES
        logger = logging.getLogger("emv")
        level, handlers, propagates = logger.level, logger.handlers, logger.propagate
        logger.setLevel(logging.INFO)
        logger.handlers, logger.propagate = [self.said], False
        try:
            with config.using(num_threads=1):
                for number in range(num_inputs):
                    text.CHUNK_BYTES = self.chance.choice([7, 100, *[chunk_bytes] * 6])
                    config.num_threads = self.chance.choice([1, 1, 1, 2])
                    self.count(self.made(number), number)
        finally:
            text.CHUNK_BYTES = chunk_bytes
            logger.setLevel(level)
            logger.handlers, logger.propagate = handlers, propagates
        return self.counts

    def made(self, number: int) -> Input:
        """Return the next input."""
        made = invented(self.reader, self.chance) if number % 2 else None
        made = made or broken(self.valid, self.chance)
        if self.reader in PACKED and self.chance.random() < 0.05:
            files = {f"{name}.gz": gzip.compress(each, 1) for name, each in made.files.items()}
            made = Input(files, f"{made.opened}.gz")
        return made

    def count(self, made: Input, number: int) -> None:
        """Read an input and count what came of it."""
        self.placed(made)
        reader = self.reader if self.chance.random() < 0.9 else None
        directed = self.chance.choice([None, None, True, False])
        outcome = self.outcome(made, reader, directed)
        self.counts[outcome] += 1
        if outcome in faults({outcome: 1}) and self.failures is not None:
            self.keep(
                made,
                number,
                f"{outcome}\nopened {made.opened} {reader=} {directed=} chunk={text.CHUNK_BYTES}\n",
            )
        self.clear()

    def placed(self, made: Input) -> Path:
        """Write the files of an input; return the one to open."""
        for name, content in made.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return self.folder / made.opened

    def clear(self) -> None:
        """Leave the folder empty."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def outcome(self, made: Input, reader: str | None, directed: bool | None) -> str:
        """Return ``read`` or ``refused``, or what went wrong."""
        path = self.folder / made.opened
        self.said.messages.clear()
        wall, used = time.perf_counter(), time.process_time()
        kind, graph = "refused", None
        try:
            with bounded(sum(map(len, made.files.values())), self.beside):
                if self.reader == PARTITION:
                    parts = read_partition(path)
                else:
                    graph = read(path, directed, format=reader)
                    check_graph(graph)
                kind = "read"
        except (GraphFormatError, ArgumentError) as error:
            str(error)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return f"RAW {type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        seconds = min(time.perf_counter() - wall, time.process_time() - used)
        if seconds > MOST_SECONDS:
            return "TOOK OVER 2 s"
        if kind == "refused":
            return kind
        if graph is None:
            return kind if partition_of(path) == parts.tolist() else "DIFFERS"
        name = reader or find_format(Source(path)).name
        return self.differs(graph, path, name) or kind

    def differs(self, graph: Graph, path: Path, name: str) -> str:
        """Return how the graph differs from what another parser reads; empty if it does not."""
        try:
            why = trust_oracles.difference(graph, path, name, self.said.messages)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            why = f"the oracle fails: {type(error).__name__} at line {last.lineno}: {error}"
        return "DIFFERS: " + re.sub(r"\d+", "0", why)[:80] if why else ""

    def keep(self, made: Input, number: int, why: str) -> None:
        """Keep an input that failed."""
        assert self.failures is not None
        kept = self.failures / f"{self.reader}-{self.chance.getrandbits(20)}-{number}"
        if sum(self.counts[each] for each in faults(self.counts)) <= MOST_KEPT:
            shutil.copytree(self.folder, kept)
            (kept / "WHY").write_text(why)


def partition_of(path: Path) -> list[int]:
    """Return the numbers of all lines; none stand on one line with others."""
    rows = map(fields_of, lines_of(path))
    return [int(each) for row in rows for each in row]


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return what must not be of what was counted."""
    return {what: each for what, each in counts.items() if each and what not in ("read", "refused")}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do one of the jobs of `trust` in this process."""
    failures = Path(job["failures"]) if job.get("failures") else None
    with (
        warnings.catch_warnings(),
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
    ):
        warnings.simplefilter("ignore")
        warm = Fuzzer(job["name"], job["seed"] + 1, Path(folder))
        warm.beside = 1 << 40  # it compiles and loads what readers need
        warm.run(100)
        return dict(Fuzzer(job["name"], job["seed"], Path(folder), failures).run(job["inputs"]))


def jobs(inputs: int, seed: int, **_: Any) -> list[dict[str, Any]]:
    """Return jobs of some thousand inputs, all readers in turn."""
    each = min(inputs, INPUTS_OF_A_JOB)
    return [
        {"what": "fuzzed", "name": reader, "inputs": each, "seed": 1000 * seed + number}
        for number in range(inputs // each)
        for reader in READERS
    ]
