"""A pytest plugin: the text for cores runs on two threads that interrupt each other, interpreted.

Usage: PYTHONPATH=tests pytest -p interleaved_backend tests/backends

A vertex takes some hundred thousand times as long as compiled, so files with large graphs are left
out, and those that ask numba or a stand-in for a GPU what they do.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import backends_available
import pytest
from hypothesis import settings
from interleaved_cpu import interleaved

settings.register_profile("interleaved", max_examples=4, deadline=None, derandomize=True)


LARGE = ("test_buffers", "test_signals", "test_stress", "test_votes")
COMPILED = ("test_compile_errors", "test_cuda_control", "test_cuda_runs", "test_paper_sets")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what cannot run so."""
    return True if collection_path.stem in LARGE + COMPILED else None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Leave one backend, before conftest.py of tests/backends reads which there are."""
    backends_available.BACKENDS = ("cpu",)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let conftest.py take two threads, too."""
    config.option.threads = 2


def pytest_sessionstart() -> None:
    settings.load_profile("interleaved")  # after that of conftest.py, before tests are read


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Interpret what tests would compile."""
    with interleaved() as turns:
        session.stash[TURNS] = turns
        found = yield
    if turns.shared < len(session.items) and not session.config.option.collectonly:
        raise pytest.UsageError(f"threads met in {turns.shared} regions only")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Draw another order of threads for every test, the same in every run of it."""
    item.session.stash[TURNS].draw = random.Random(zlib.crc32(item.nodeid.encode()))
    return (yield)


TURNS = pytest.StashKey()
