"""Mapped graphs keep no files open, and what is mapped is let go of."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import emv
from emv.errors import GraphFormatError
from emv.graph.io import mapping
from emv.graph.io.mapping import private_map

HANDLES, MAPS = Path("/proc/self/fd"), Path("/proc/self/maps")


@contextmanager
def most_handles(number: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.skipif(not HANDLES.is_dir(), reason="counts what Linux tells")
def test_any_number_of_graphs_may_be_open(kite: Path) -> None:
    emv.read(kite)
    before = len(list(HANDLES.iterdir()))
    with most_handles(before + 10):
        graphs = [emv.read(kite) for _ in range(100)]
        assert len(list(HANDLES.iterdir())) == before
    assert {graph.edges.weight[4] for graph in graphs} == {4.0}
    assert MAPS.read_text().count("kite.emv") > 100
    del graphs
    assert "kite.emv" not in MAPS.read_text()


@pytest.mark.parametrize("name", ["kite.emv", "a.txt", "a.npz"])
def test_without_a_handle_there_is_an_error_that_names_the_file(kite, name) -> None:
    path = kite.with_name(name)
    if name != "kite.emv":
        emv.write(
            emv.Graph.from_edges([0, 1], [1, 0]),
            path,
            format="edge-list" if name == "a.txt" else None,
        )
    emv.read(path)
    taken = []
    with most_handles(len(list(HANDLES.iterdir())) + 5):
        try:
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        try:
            with pytest.raises(GraphFormatError, match="Too many open files"):
                emv.read(path)
        finally:
            for handle in taken:
                os.close(handle)


def test_what_is_written_to_a_map_stays_in_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with path.open("rb") as file:
        mapped = private_map(file, 3)
    part = mapped[1:]
    mapped[:] = ord("x")
    del mapped
    assert part.tobytes() == b"xx"
    assert path.read_bytes() == b"abc"


@pytest.mark.skipif(not MAPS.is_file(), reason="reads what Linux tells")
def test_a_map_is_let_go_of_without_a_call_of_python(tmp_path: Path) -> None:
    """A signal within a finalizer in Python would be lost."""
    path = tmp_path / "held"
    path.write_bytes(b"abc")
    with path.open("rb") as file:
        mapped, other = private_map(file, 3), private_map(file, 3)
    assert MAPS.read_text().count(str(path)) == 2
    calls: list[str] = []
    sys.setprofile(lambda frame, event, arg: calls.append(event))
    del mapped
    sys.setprofile(None)
    assert set(calls) == {"c_call"}  # of `setprofile`
    assert MAPS.read_text().count(str(path)) == 1
    del other
    with path.open("rb") as file:
        last = private_map(file, 3)
    assert [each() is not None for each in mapping._MAPS.values()].count(False) == 0
    assert last.tobytes() == b"abc"


def test_what_cannot_be_mapped_is_an_error(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file, pytest.raises(PermissionError):
        private_map(file, 10)


def test_serialized_graphs_are_read_and_not_mapped(tmp_path: Path) -> None:
    """Another process may cut them off while they are read."""
    path = tmp_path / "a.sg"
    emv.write(emv.Graph.from_edges([0, 1], [1, 0]), path)
    graph = emv.read(path)
    os.truncate(path, 0)
    assert np.array_equal(graph.edges.dst, [1, 0])
