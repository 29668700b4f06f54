"""What ended in an error of Python or numba, or in none, says what is wrong and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from emv import Graph
from emv.algorithms import bfs, k_hop
from emv.errors import CapacityError

ROOT = Path(__file__).parents[2]
PROGRAM = """
    import emv
    from emv import Edge, Graph, Vertex, edge, i32, program, vertex

    class Node(Vertex):
        seen: i32 = 1

    @edge
    def tell(e: Edge[Node]):
        e.send(e.src.seen)

    @vertex
    def take(v: Node, told: i32):
        v.seen += told

    @program
    def spread(g):
        told = tell(g)
        take(told.receivers, emv.sum(told))
        return g.vertices.seen

    print(spread(Graph.from_edges([0, 1], [1, 2]), backend="cpu"))
    print(emv.read("a.txt").edges.weight.tolist())
"""


def ran(path, **environment):
    """Run the program as a script; return what it printed and what it said."""
    path.write_text(textwrap.dedent(PROGRAM))
    (path.parent / "a.txt").write_text("0 1 0.5\n1 2 2\n")
    knobs = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, path.name]
    done = subprocess.run(command, env=knobs, cwd=path.parent, capture_output=True, text=True)
    return done.stdout, done.stderr


@pytest.mark.parametrize("name", ["new\nline.py", "half\udcff.py"])
def test_a_script_may_have_any_name(tmp_path, name):
    printed, said = ran(tmp_path / name)
    assert printed == "[1 2 2]\n[0.5, 2.0]\n", said


def test_kernels_are_compiled_although_numba_shall_not(tmp_path):
    printed, said = ran(tmp_path / "plain.py", NUMBA_DISABLE_JIT="1")
    assert printed == "[1 2 2]\n[0.5, 2.0]\n", said
    assert said.count("NUMBA_DISABLE_JIT is not heeded") == 1


@pytest.mark.parametrize("program", [bfs, k_hop])
def test_a_batch_beyond_memory_is_refused_before_its_copies_are_looked_at(program):
    ring = np.arange(100_000)
    graph = Graph.from_edges(ring, np.roll(ring, 1))
    others = () if program is bfs else (2,)
    program.batch(graph, [0, 1], *others, backend="cpu")
    begun = time.process_time()
    with pytest.raises(CapacityError, match=r"needs [0-9,]{14,} bytes"):
        program.batch(graph, np.zeros(10**7, np.int64), *others, backend="cpu")
    assert time.process_time() - begun < 5  # 148 s before
