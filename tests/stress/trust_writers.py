"""Writers that are killed, that run out of disk and that write one graph at once: part of `trust`.

Each format's file holds one graph and is written over with another; whatever happens to the
writer, reading it must give one of the two. The writers are forks of one process, so that a
thousand of them take seconds.
"""

from __future__ import annotations

import collections
import logging
import os
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import emv
from emv.errors import EmvError
from emv.graph import Graph

Counts = collections.Counter[str]

FILES = (
    *("a.tsv", "a.csv", "a.wel", "a.tsv.gz", "a.tsv.zst", "a.mtx", "a.mtx.gz", "a.gr", "a.graph"),
    *("a.ncol", "a.npz", "a.parquet", "a.sg", "a.wsg", "a.e", "a.emv"),
)
"""A name for each format, and the ways of packing."""

_NO_WEIGHTS = {"a.sg"}
_UNDIRECTED = {"a.graph"}


def graph_for(name: str, num_vertices: int, seed: int) -> Graph:
    """Return a graph that a format can hold: a ring, so that no vertex is alone, and chords."""
    chance = np.random.default_rng(seed)
    ring, chords = np.arange(num_vertices), 5 * num_vertices
    src = np.concatenate([ring, chance.integers(0, num_vertices, chords)])
    dst = np.concatenate([(ring + 1) % num_vertices, chance.integers(0, num_vertices, chords)])
    weight = chance.integers(1, 1000, len(src)).astype(np.int32)
    columns = {} if name in _NO_WEIGHTS else {"weight": weight}
    return Graph.from_edges(src, dst, directed=name not in _UNDIRECTED, **columns)


def summary_of(graph: Graph) -> tuple[int, ...]:
    """Return sums that tell two graphs apart, whatever the order of their edges."""
    tables = graph.tables()
    src, dst = (np.asarray(each, np.int64) for each in (tables.src, tables.dst))
    weight = np.asarray(tables.edge_columns.get("weight", np.ones(len(src))), np.int64)
    mixed = np.minimum(src, dst) * 31 + np.maximum(src, dst)
    sums = (int((mixed * weight).sum()), int((mixed % 1009 * weight**2).sum()))
    return graph.num_vertices, len(src), *sums


class Overwriting:
    """One file, the graph that is in it and the one that is written over it.

    Parameters
    ----------
    folder : Path
        Where the file is, alone with what belongs to it.
    name : str
        One of `FILES`.
    num_vertices : int
        Of both graphs.
    """

    def __init__(self, folder: Path, name: str, num_vertices: int) -> None:
        self.path = folder / name
        self.old, self.new = (graph_for(name, num_vertices, seed) for seed in (1, 2))
        emv.write(self.new, self.path)
        self._new = summary_of(emv.read(self.path))
        self.own: set[str] = set()
        self.restore()
        self._old = summary_of(emv.read(self.path))
        assert self._old != self._new

    def restore(self) -> None:
        """Write the old graph, and note what belongs to it."""
        emv.write(self.old, self.path)
        self.own = self._names()

    def found(self) -> str:
        """Return what is in the file: ``old``, ``new``, or what is wrong."""
        try:
            summary = summary_of(emv.read(self.path))
        except EmvError:
            return "lost, told"
        except Exception as error:
            return f"raw {type(error).__name__}"
        return {self._old: "old", self._new: "new"}.get(summary, "WRONG")

    def left(self) -> set[str]:
        """Return what is there beside the files of the graph."""
        return self._names() - self.own

    def _names(self) -> set[str]:
        return {path.name for path in self.path.parent.iterdir()}

    def num_folders(self) -> int:
        """Return how many folders of arrays there are in a folder of emv."""
        if not self.path.is_dir():
            return 1
        return sum(path.is_dir() for path in self.path.iterdir())


@contextmanager
def overwriting(name: str, num_vertices: int, within: Path | None) -> Iterator[Overwriting]:
    """Give a file in a new folder, which is removed afterwards."""
    with tempfile.TemporaryDirectory(dir=within) as folder:
        yield Overwriting(Path(folder), name, num_vertices)


def child(work: Callable[[], Any]) -> tuple[int, int]:
    """Fork a process that does some work; return its id and a pipe that says that it has begun."""
    read_end, write_end = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(read_end)
            os.write(write_end, b"!")
            work()
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    return process, read_end


def killed(name: str, times: int, num_vertices: int, seed: int, within: Path | None) -> Counts:
    """Kill a writer at random moments, and count what is in its file and beside it then."""
    chance, counts = random.Random(f"{name} {seed}"), collections.Counter[str]()
    with overwriting(name, num_vertices, within) as place:
        begun = time.perf_counter()
        place.restore()
        whole = time.perf_counter() - begun
        for number in range(times):
            place.restore()
            process, begins = child(lambda: emv.write(place.new, place.path))
            os.read(begins, 1)
            os.close(begins)
            late = number % 2  # half of the moments are near the end, where names change
            time.sleep(whole * chance.uniform(0.7 if late else 0.0, 1.2))
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            counts[place.found()] += 1
            counts["left beside it"] += bool(place.left())
        place.restore()
        counts["left for good"] += bool(place.left()) or place.num_folders() != 1
    return counts


def out_of_disk(name: str, times: int, num_vertices: int, seed: int, within: Path | None) -> Counts:
    """Let a writer have too little room, some times, and count what is in its file then."""
    chance, counts = random.Random(f"{name} {seed}"), collections.Counter[str]()
    with overwriting(name, num_vertices, within) as place:
        files = [path for path in place.path.parent.rglob("*") if path.is_file()]
        largest = max(path.stat().st_size for path in files)
        for _ in range(times):
            room = chance.randrange(largest)
            process, begins = child(lambda room=room: _write_within(room, place))
            _, status = os.waitpid(process, 0)
            os.close(begins)
            counts["told" if os.waitstatus_to_exitcode(status) == 0 else "NOT TOLD"] += 1
            counts[place.found()] += 1
            counts["left beside it"] += bool(place.left())
            counts["left for good"] += place.num_folders() != 1
    return counts


def _write_within(most_bytes: int, place: Overwriting) -> None:
    """Write the new graph in files of so many bytes, which cannot go well."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    try:
        emv.write(place.new, place.path)
    except OSError:
        return
    raise AssertionError("it was written")


def at_once(seconds: float, num_vertices: int, seed: int, within: Path | None) -> Counts:
    """Let three processes write one folder of emv, one of them killed again and again, and read it.

    Each graph is a ring with one weight on all edges, by which a mixture would be seen.
    """
    counts = collections.Counter[str]()
    with tempfile.TemporaryDirectory(dir=within) as folder:
        path = Path(folder, "a.emv")
        ring = np.arange(num_vertices)

        def write(step: int) -> None:
            dst = (ring * step + 1) % num_vertices
            emv.write(Graph.from_edges(ring, dst, weight=np.full(num_vertices, step)), path)

        def keep_writing(step: int) -> None:
            while True:
                write(step)

        write(1)
        writers = [child(lambda step=step: keep_writing(step)) for step in (1, 2, 3)]
        chance, end = random.Random(seed), time.perf_counter() + seconds
        while time.perf_counter() < end:
            counts[_read_ring(path, ring)] += 1
            if chance.random() < 0.05:
                _end(writers.pop(0))
                counts["writers killed"] += 1
                step = chance.randint(1, 3)
                writers.append(child(lambda step=step: keep_writing(step)))
        for writer in writers:
            _end(writer)
        write(1)
        counts["folders left"] = sum(each.is_dir() for each in path.iterdir()) - 1
        counts["files left"] = len([*path.iterdir(), *path.parent.iterdir()]) - 3
    return counts


def _end(writer: tuple[int, int]) -> None:
    os.close(writer[1])
    os.kill(writer[0], signal.SIGKILL)
    os.waitpid(writer[0], 0)


def _read_ring(path: Path, ring: Any) -> str:
    """Return whether a folder holds one of the rings."""
    try:
        graph = emv.read(path)
        weight, dst = np.asarray(graph.edges.weight), graph.tables().dst
        step = int(weight[0])
        is_whole = (weight == step).all() and np.array_equal(dst, (ring * step + 1) % len(ring))
        return "read" if is_whole else "WRONG"
    except Exception as error:
        return f"raw {type(error).__name__}: {str(error)[-80:]}"


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return what must not be of what was counted; the next writer removes what is left."""
    fine = {"old", "new", "told", "read", "writers killed", "left beside it"}
    return {what: number for what, number in counts.items() if number and what not in fine}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do one of the jobs of `trust` in this process."""
    logging.getLogger("emv").setLevel(logging.ERROR)
    within = Path(job["within"]) if job.get("within") else None
    with emv.config.using(num_threads=1):
        if job["what"] == "at once":
            return dict(at_once(job["seconds"], job["vertices"], job["seed"], within))
        do = {"killed": killed, "out of disk": out_of_disk}[job["what"]]
        return dict(do(job["name"], job["times"], job["vertices"], job["seed"], within))


def jobs(
    times: int, seconds: float, num_vertices: int, seed: int, **_: Any
) -> list[dict[str, Any]]:
    """Return jobs: every format killed and out of disk so many times, and a folder for a while."""
    shared = {"times": times, "vertices": num_vertices, "seed": seed}
    of_files = [
        {"what": what, "name": name, **shared}
        for what in ("killed", "out of disk")
        for name in FILES
    ]
    return [*of_files, {**shared, "what": "at once", "name": "a.emv", "seconds": seconds}]
