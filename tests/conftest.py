"""What every test shares: hypothesis profiles and the ``golden`` fixture."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest import runner
from golden_text import GoldenText, golden_path
from hypothesis import settings

from emv.backends.lean import with_room
from emv.config import config

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=100, derandomize=True, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


MANY = 4  # processes of pytest-xdist


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden/ instead of comparing"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the file that takes longest, which others can run beside."""
    items.sort(key=lambda item: item.path.name != "test_simulated.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each of few processes whole files, in their order, so that a file compiles once."""
    from xdist.scheduler import LoadFileScheduling

    if config.option.numprocesses > MANY:  # the longest file would be what all others wait for
        return None
    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let tests that only wait for other processes start these now: there is a second core."""
    if session.config.option.collectonly or hasattr(session.config, "workerinput"):
        return
    modules = {item.module for item in session.items if hasattr(item, "module")}
    for module in modules:
        getattr(module, "begin_early", lambda: None)()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test as pytest does; what it calls recurses deeply, beginning at pytest's own depth."""
    return with_room(runner.pytest_runtest_protocol, item, nextitem)


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    if op == "==" and isinstance(left, GoldenText) and isinstance(right, str):
        return left.explain(right)
    if op == "==" and isinstance(right, GoldenText) and isinstance(left, str):
        return right.explain(left)
    return None


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Run on one thread: small graphs would not be shared out, and half is left to compile.

    Tests of the shared work ask for two threads with ``config.using(num_threads=2)``.
    """
    with config.using(num_threads=1, full_traceback=True):  # faults show where they come from
        yield


@pytest.fixture(autouse=True, scope="module")
def small_heap() -> Iterator[None]:
    """Hide what a module left from later collections: a million objects took a second each."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> GoldenText:
    path = golden_path(request.path.stem, request.node.name)
    return GoldenText(path, request.config.getoption("--update-golden"))
