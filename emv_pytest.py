"""The pytest plugin of emv: a test on every backend, and the seed of a run.

``@pytest.mark.emv`` runs a test once per backend, with that backend as the default of every program
that it calls; ``@pytest.mark.emv(backends=["python", "cpu"])`` names them. ``--emv-backend`` picks
one or several for the whole suite. Tests that take ``emv_backend`` get the name. `emv_seed` is a
number that changes from run to run and is printed, and ``--emv-seed`` repeats it.

pytest loads this file wherever emv is installed, so it imports nothing of emv before a test needs
it, and stands beside the package, whose face would be loaded first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from typing import Any

import pytest

ARGUMENT = "emv_backend"
KNOWN = ("python", "cpu", "cuda")
SEEDS = 2**31
SEED = pytest.StashKey[int]()
USED = pytest.StashKey[bool]()  # whether a test has asked for the seed


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of emv."""
    group = parser.getgroup("emv", "graph programs on several backends")
    group.addoption(
        "--emv-backend",
        action="append",
        metavar="NAME",
        help="run tests marked emv on this backend only: python, cpu, cuda or cuda:N; "
        "may be given several times",
    )
    group.addoption(
        "--emv-seed", type=int, metavar="N", help="the seed of the fixture emv_seed; default: drawn"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and draw the seed of the run; its workers get the same."""
    config.addinivalue_line(
        "markers",
        "emv(backends=...): run once per backend of emv, by default on all that can run here",
    )
    for name in config.option.emv_backend or ():
        if not is_backend(name):
            raise pytest.UsageError(f"--emv-backend {name}: there are {', '.join(KNOWN)}, cuda:N")
    worker = getattr(config, "workerinput", {})
    given = config.option.emv_seed
    drawn = worker.get("emv_seed", random.SystemRandom().randrange(SEEDS))
    config.stash[SEED] = drawn if given is None else given


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of pytest-xdist the seed that is printed."""
    node.workerinput["emv_seed"] = node.config.stash[SEED]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run marked tests, and those that take ``emv_backend``, once per backend."""
    mark = metafunc.definition.get_closest_marker("emv")
    if mark is None and ARGUMENT not in metafunc.fixturenames:
        return
    if ARGUMENT not in metafunc.fixturenames:
        metafunc.fixturenames.append(ARGUMENT)
    metafunc.parametrize(ARGUMENT, [each_param(name) for name in chosen(metafunc.config, mark)])


def chosen(config: pytest.Config, mark: pytest.Mark | None) -> list[str]:
    """Return the backends of a test: of the command line those that the mark allows."""
    from emv.testing import backends  # only where a test is for emv

    marked = list(mark.kwargs.get("backends", mark.args)) if mark else []
    for name in marked:
        if not is_backend(name):
            raise pytest.UsageError(
                f"@pytest.mark.emv(backends=...) names {name!r}; there are {', '.join(KNOWN)}, "
                "cuda:N"
            )
    asked = config.option.emv_backend
    if asked is None:
        return marked or list(backends())
    return [name for name in asked if name in marked or not marked]


def each_param(name: str) -> Any:
    """Return a backend as a parameter; a test on one that is not here is skipped, and says so."""
    from emv.testing import backends

    is_here = name.partition(":")[0] in backends()
    missing = pytest.mark.skip(reason=f"no backend {name!r} on this machine")
    return pytest.param(name, marks=() if is_here else missing)


def is_backend(name: str) -> bool:
    """Return whether a backend goes by this name."""
    kind, colon, number = name.partition(":")
    return name in KNOWN or (kind == "cuda" and bool(colon) and number.isdecimal())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Let programs run by default on the backend of the test."""
    backend = backend_of(item)
    if backend is None:
        return (yield)
    from emv.config import config

    with config.using(backend=backend):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of a failed test how to run it again alone."""
    report = yield
    backend, uses_seed = backend_of(item), "emv_seed" in getattr(item, "fixturenames", ())
    if report.failed and (backend or uses_seed):
        words = [f"--emv-backend {backend}"] if backend else []
        words += [f"--emv-seed {item.config.stash[SEED]}"] if uses_seed else []
        report.sections.append(("emv", f"again: pytest '{item.nodeid}' {' '.join(words)}"))
    return report


def backend_of(item: pytest.Item) -> str | None:
    """Return the backend of a test; None of one that is not for emv."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    name: str | None = params.get(ARGUMENT)
    return name


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the seed, where a test has used it."""
    if config.stash.get(USED, False):
        terminalreporter.write_line(f"emv: --emv-seed {config.stash[SEED]} draws the same again")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the process that reports know of a worker whether its tests have used the seed."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["emv_seed_used"] = session.config.stash.get(USED, False)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker of pytest-xdist whether its tests have used the seed."""
    if getattr(node, "workeroutput", {}).get("emv_seed_used"):
        node.config.stash[USED] = True


@pytest.fixture(scope="session")
def emv_seed(request: pytest.FixtureRequest) -> int:
    """Return a seed for generators and runs: another in every run, printed, see ``--emv-seed``."""
    request.config.stash[USED] = True
    return request.config.stash[SEED]


@pytest.fixture(scope="session")
def emv_networkx() -> Callable[..., Any]:
    """Return `emv.testing.networkx_oracle`: what networkx says of the same graph."""
    from emv.testing import networkx_oracle

    return networkx_oracle


@pytest.fixture(scope="session")
def emv_scipy() -> Callable[..., Any]:
    """Return `emv.testing.scipy_oracle`: what scipy says of the same graph."""
    from emv.testing import scipy_oracle

    return scipy_oracle
