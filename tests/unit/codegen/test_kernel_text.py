"""The kernels and the explanation of every algorithm, as kept in ``tests/golden/``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, MANY_CASES

from emv import Graph
from emv.algorithms import ALGORITHMS
from emv.config import config


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Show the kernels as they are where work is shared out, whatever this machine has."""
    with config.using(num_threads=2, deterministic=False):
        yield


def triangle(name: str = "bfs") -> Graph:
    """Return a graph that the named program takes: directed, if it takes directed graphs."""
    directed = ALGORITHMS[name].form != "undirected"
    weight = np.array([1, 2, 3], np.float32)  # the width that pages are written in
    return Graph.from_edges([0, 0, 1], [1, 2, 2], directed=directed, weight=weight)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_kernels_read(name, golden):
    assert golden == ALGORITHMS[name].source(triangle(name), *ARGUMENTS[name])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_explanation_reads(name, golden):
    text = ALGORITHMS[name].explain(triangle(name), *ARGUMENTS[name])
    explained, memory = text.split("\nmemory ")
    assert golden == explained
    assert memory.startswith(name)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_kernels_name_the_users_lines_and_no_folder(name):
    text = ALGORITHMS[name].source(triangle(name), *ARGUMENTS[name])
    folder = Path(ALGORITHMS[name].loc.file).parent
    named = re.findall(r"# (\w+\.py):(\d+)$", text, re.MULTILINE)
    assert named
    for file, number in named:  # of its own page, or of one whose functions it applies
        assert 0 < int(number) <= len((folder / file).read_text().splitlines())
    assert str(folder) not in text


def test_kernels_are_the_same_when_written_again():
    texts = {each: ALGORITHMS[each].source(triangle(each), *ARGUMENTS[each]) for each in MANY_CASES}
    named = [(each, triangle(each).directed, ARGUMENTS[each]) for each in MANY_CASES]
    program = (
        "from emv import Graph; from emv.algorithms import ALGORITHMS; import json, numpy, sys\n"
        "def text(name, directed, given):\n"
        "    g = Graph.from_edges([0, 0, 1], [1, 2, 2], directed=directed, "
        "weight=numpy.array([1, 2, 3], 'f4'))\n"
        "    return ALGORITHMS[name].source(g, *given)\n"
        f"print(json.dumps({{each[0]: text(*each) for each in {named!r}}}))\n"
        "assert 'numba' not in sys.modules"
    )
    environment = {**os.environ, "EMV_NUM_THREADS": "2", "EMV_DETERMINISTIC": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == texts
