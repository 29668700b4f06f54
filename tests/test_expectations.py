"""What docs/expectations.md names exists; and what people expect that is tested nowhere else."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS
from graph_files import ROOT

import emv
from emv import errors
from emv.algorithms import bfs, bfs_parents, pagerank, sssp, sssp_parents

PAGE = (ROOT / "docs" / "expectations.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if re.match(r"\| [0-9]", line)]


def test_there_are_thirty_rows_that_say_whether_they_hold() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 31))
    for row in ROWS:
        assert re.fullmatch(r" (yes|(in part|no): .+) ", row[-1])


@pytest.mark.parametrize("row", ROWS, ids=[row[0].strip() for row in ROWS])
def test_what_shows_a_row_exists(row: list[str]) -> None:
    named = re.findall(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`", row[4])
    assert named or "`pytest" in row[4] or row[-1].startswith(" no")
    for file, test in named:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not test or f"def {test}(" in text


def test_pagerank_has_networkxs_names_and_defaults() -> None:
    ours = inspect.signature(pagerank.python).parameters
    for name, theirs in inspect.signature(nx.pagerank.orig_func).parameters.items():
        if name in ("G", "dangling"):  # theirs are weights, which ours calls dangling_weights
            continue
        assert name in ours
        if name != "weight":  # by default none here, as a graph need not have weights
            assert ours[name].default == theirs.default
    club = nx.karate_club_graph()
    exact = nx.pagerank(club, tol=1e-14, weight=None)
    theirs, ours = (
        max(abs(found[v] - exact[v]) for v in club)
        for found in (
            nx.pagerank(club, weight=None),
            pagerank(emv.Graph.from_networkx(club), backend="python"),
        )
    )
    assert ours <= theirs < 1e-5  # it ends when the ranks have settled, never before networkx


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_come_beside_the_ids_that_were_given(backend: str) -> None:
    g = emv.Graph.from_edges([70, 5], [5, 9], renumber=True)
    frame = bfs.run(g.on(backend), g.id_of(70)).to_pandas()
    assert dict(zip(frame["id"], frame["result"], strict=True)) == {5: 1, 9: 2, 70: 0}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_weights_of_64_bits_give_results_of_64_bits(backend: str, dtype: str) -> None:
    weight = np.array([0.1, 0.2], dtype)
    g = emv.Graph.from_edges(np.array([0, 1], "i4"), np.array([1, 2], "i8"), weight=weight)
    assert g.edges.weight.dtype == dtype
    found = np.asarray(sssp(g, 0, backend=backend))
    assert found.dtype == dtype
    assert found[2] == weight[0] + weight[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_unreached_vertices(backend: str) -> None:
    g = emv.Graph.from_edges([0], [1], num_vertices=3, weight=[2.0]).on(backend)
    depths = np.asarray(bfs(g, 0))
    assert (depths.dtype.name, depths.tolist()) == ("int32", [0, 1, -1])
    assert np.asarray(bfs_parents(g, 0)).tolist()[1:] == [0, -1]
    assert np.asarray(sssp(g, 0)).tolist() == [0, 2, np.inf]
    assert np.asarray(sssp_parents(g, 0)).tolist()[1:] == [0, -1]


def test_the_import_needs_no_gpu() -> None:
    code = (
        "import sys; sys.modules['numba_cuda'] = sys.modules['cuda'] = None; "
        "import emv; print(emv.cuda_available() in (True, False), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "True"), done.stderr


def test_the_core_runs_without_scipy_and_networkx() -> None:
    code = (
        "import sys; sys.modules['scipy'] = sys.modules['networkx'] = None; "
        "import io, emv, numpy as np; from emv.algorithms import bfs; "
        "g = emv.read(io.StringIO('0 1\\n1 2\\n'), format='edge-list'); "
        "made = emv.generators.rmat(8, 20, rng=1); "
        "import numba; assert numba.njit(lambda x: x + 1)(1) == 2; "  # what compiled runs need
        "print(np.asarray(bfs(g, 0, backend='python')).tolist(), made)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[0, 1, 2] Graph(8 vertices, 20 edges")


def test_the_wheel_is_pure_and_typed() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "py.typed" in said["tool"]["setuptools"]["package-data"]["emv"]
    assert (ROOT / "emv" / "py.typed").is_file()
    assert said["build-system"]["requires"] == ["setuptools>=77"]
    assert not [*ROOT.glob("emv/**/*.c"), *ROOT.glob("emv/**/*.pyx"), *ROOT.glob("setup.py")]


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (errors.ArgumentError, ValueError),
        (errors.GraphFormatError, ValueError),
        (errors.CapacityError, MemoryError),
        (errors.BackendUnavailableError, RuntimeError),
    ],
)
def test_errors_are_also_pythons_own(ours: type, pythons: type) -> None:
    assert issubclass(ours, errors.EmvError)
    assert issubclass(ours, pythons)


def test_programs_are_defined_without_what_reads_and_compiles_them() -> None:
    code = (
        "import sys, emv; from emv.algorithms import bfs; "
        "late = ['ir.body', 'ir.program', 'ir.schedule', 'lang.analysis', 'lang.trace', 'passes', "
        "'codegen', 'runtime.engine', 'runtime.updating', 'backends.eager_graph']; "
        "print([each for each in late if 'emv.' + each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
