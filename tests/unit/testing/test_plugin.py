"""The pytest plugin, in suites of its own: backends, seeds, oracles, and silence where unused."""

import re
import subprocess
import sys

import pytest

MARKED = """
import networkx as nx
import pytest
from hypothesis import given

import emv
from emv.testing.strategies import graphs

emv_tests = pytest.mark.emv


@emv_tests
def test_default(record_property):
    assert emv.config.backend in ("python", "cpu")
    assert emv.algorithms.bfs.run(emv.Graph.from_edges([0], [1]), 0).backend == emv.config.backend


@emv_tests(backends=["python", "cuda:7"])
def test_named(emv_backend):
    assert emv.config.backend == emv_backend


@given(graph=graphs(3))
def test_taken(emv_backend, graph):
    assert emv.config.backend == emv_backend


@emv_tests(backends=["python"])
@pytest.mark.parametrize("size", [1, 2])
def test_beside_others(size):
    assert emv.config.backend == "python"


def test_plain():
    assert emv.config.backend == "auto"


def test_oracles(emv_networkx, emv_scipy):
    g = emv.Graph.from_edges([0], [1])
    assert emv_networkx(nx.number_of_edges, g) == emv_scipy(lambda a: a.nnz, g) == 1


@emv_tests(backends=["cpu"])
def test_failing(emv_seed):
    assert emv_seed < 0
"""


def suite(folder, text, *options):
    """Run a suite; return its report and its exit code."""
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n")
    plugin = ["-p", "emv_pytest", "-p", "no:cacheprovider", "-rA", "--color=no"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *options, "test_it.py"],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    return done.stdout + done.stderr, done.returncode


def outcomes(text):
    return set(re.findall(r"^((?:PASSED|FAILED|SKIPPED) .*?)(?: - .*)?$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    return suite(tmp_path_factory.mktemp("marked"), MARKED)[0]


def test_tests_run_on_the_backends_of_their_marks(marked):
    found = {each for each in outcomes(marked) if "[cuda]" not in each}
    skipped = {each for each in found if each.startswith("SKIPPED")}
    assert found - skipped == {
        "PASSED test_it.py::test_default[python]",
        "PASSED test_it.py::test_default[cpu]",
        "PASSED test_it.py::test_named[python]",
        "PASSED test_it.py::test_taken[python]",
        "PASSED test_it.py::test_taken[cpu]",
        "PASSED test_it.py::test_beside_others[python-1]",
        "PASSED test_it.py::test_beside_others[python-2]",
        "PASSED test_it.py::test_plain",
        "PASSED test_it.py::test_oracles",
        "FAILED test_it.py::test_failing[cpu]",
    }
    assert "no backend 'cuda:7' on this machine" in marked


def test_seeds_are_printed_and_come_again(marked, tmp_path):
    seed = re.search(r"emv: --emv-seed (\d+) draws the same again", marked)[1]
    words = f"again: pytest 'test_it.py::test_failing[cpu]' --emv-backend cpu --emv-seed {seed}"
    assert words in marked
    text = f"def test_seed(emv_seed):\n    assert emv_seed == {seed}\n"
    assert suite(tmp_path, text, "--emv-seed", seed)[1] == 0


def test_command_line_picks_among_the_backends_of_marks(tmp_path):
    found = outcomes(suite(tmp_path, MARKED, "--emv-backend", "cpu", "-k", "default or named")[0])
    passed = {each for each in found if each.startswith("PASSED")}
    assert passed == {"PASSED test_it.py::test_default[cpu]"}


def test_wrong_backends_are_refused(tmp_path):
    text, code = suite(tmp_path, "", "--emv-backend", "gpu")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "--emv-backend gpu: there are python, cpu, cuda, cuda:N" in text
    wrong = 'import pytest\n@pytest.mark.emv(backends=["gpu"])\ndef test_it():\n    pass\n'
    text, code = suite(tmp_path, wrong)
    assert code == pytest.ExitCode.USAGE_ERROR or code == pytest.ExitCode.INTERRUPTED
    assert "names 'gpu'" in text


def test_suites_without_emv_do_not_load_it(tmp_path):
    text = "import sys\ndef test_it():\n    assert 'emv' not in sys.modules\n"
    printed, code = suite(tmp_path, text)
    assert code == 0, printed
    assert "emv:" not in printed
