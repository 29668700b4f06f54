"""What every test shares: hypothesis profiles and the ``golden`` fixture."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest import runner
from golden_text import GoldenText, golden_path
from hypothesis import settings
from shared_out import shared_out

from emv.config import config
from emv_kernels.lean import with_room

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's way with what runs behind it
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests send Ctrl-C

gc.set_threshold(20_000, 20, 50)  # looking at 700 objects at a time was a fifth of a simulated run

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=50, derandomize=True, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


collect_ignore = ["stress", "baselines"]  # commands that take hours, and kernels that tests launch
MANY = 4  # processes of pytest-xdist


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden/ instead of comparing"
    )
    parser.addoption(
        "--threads", type=int, default=1, help="of cores; several share out small graphs, too"
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
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run on one thread, which leaves half to compile, or on several that share small graphs out.

    `tests/test_two_threads.py` asks for two; tests of large graphs do so themselves, with
    ``config.using(num_threads=2)``.
    """
    count = request.config.getoption("--threads")
    shared = shared_out() if count > 1 else contextlib.nullcontext()
    with shared, config.using(num_threads=count, full_traceback=True):  # faults show their origin
        yield count


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
