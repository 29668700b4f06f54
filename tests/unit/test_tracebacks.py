"""Errors end at the user's line, keep their causes and the frames of users' functions."""

import os
import subprocess
import sys
import traceback
from types import SimpleNamespace

import pytest

import emv
from emv import (
    Graph,
    Vertex,
    config,
    edge,
    elist,
    f32,
    gas,
    message,
    mlist,
    program,
    vertex,
)
from emv.algorithms import bfs, louvain, pagerank
from emv.errors import EmvError, Loc
from emv.generators import rmat
from emv.tracebacks import ends_at_caller


class Place(Vertex):
    x: f32


@vertex
def misspelled(v: Place):
    v.y = 1


@program
def wrong(g):
    misspelled(g)


def dividing(*_):
    return 1 // 0


def make_record():
    class Odd(Vertex):
        x: complex


def make_function(decorator):
    @decorator
    def odd(v: Place, given: complex):
        v.x = 1


def make_program():
    @program(bind={"missing": "weight"})
    def odd(g):
        return 1


g = Graph.from_edges([0, 1], [1, 2], directed=False)
CALLS = {
    "call": lambda: pagerank(g, alhpa=1),
    "run": lambda: bfs.run(g, 9),
    "checked": lambda: pagerank(g, alpha=7),
    "explain": lambda: bfs.explain(g, 9),
    "wrong": lambda: wrong(g),
    "batch": lambda: bfs.batch(g, [0], along="nothing"),
    "read": lambda: emv.read("no/such/file.txt"),
    "from_edges": lambda: Graph.from_edges([0], [-1]),
    "method": lambda: g.id_of("ann"),
    "column": lambda: g.edges.nothing,
    "set column": lambda: setattr(g.vertices, "x", [1]),
    "generator": lambda: rmat(-1, 2),
    "function": lambda: louvain(g, weight="nothing"),
    "record": make_record,
    "no domain": lambda: misspelled(1),
    "vertex": lambda: make_function(vertex),
    "edge": lambda: make_function(edge),
    "elist": lambda: make_function(elist),
    "mlist": lambda: make_function(mlist),
    "message": lambda: make_function(message),
    "scatter": lambda: make_function(gas.scatter),
    "gather": lambda: make_function(gas.gather(emv.sum)),
    "apply": lambda: make_function(gas.apply),
    "combiner": lambda: emv.combiner(3, 0),
    "program": make_program,
    "lambda": lambda: program(lambda g: g),
}


def files_of(error):
    return [entry.filename for entry in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", CALLS)
def test_errors_end_at_the_users_line(name):
    with config.using(full_traceback=False), pytest.raises(EmvError) as caught:
        CALLS[name]()
    assert set(files_of(caught.value)) == {__file__}
    with config.using(full_traceback=True), pytest.raises(EmvError) as caught:
        CALLS[name]()
    assert len(set(files_of(caught.value))) > 1


def test_errors_of_users_functions_keep_their_frames():
    with config.using(full_traceback=False), pytest.raises(ZeroDivisionError) as caught:
        bfs.run(g, 0, callback=dividing, backend="python")
    assert set(files_of(caught.value)) == {__file__}
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "dividing"


def test_faults_of_emv_stay_whole():
    unlike = object.__new__(Graph)  # a graph that nothing of emv makes
    with config.using(full_traceback=False), pytest.raises(AttributeError) as caught:
        unlike.id_of(0)
    assert any(name.endswith("graph.py") for name in files_of(caught.value))


def test_causes_are_kept():
    @ends_at_caller
    def failing():
        raise EmvError("outer") from KeyError("inner")

    with config.using(full_traceback=False), pytest.raises(EmvError) as caught:
        failing()
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_script_prints_no_frame_of_emv(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("import emv\nemv.algorithms.bfs(emv.Graph.from_edges([0], [1]), sorce=0)\n")
    for knob, says in (("0", False), ("1", True)):
        done = subprocess.run(
            [sys.executable, script],
            capture_output=True,
            text=True,
            env={**os.environ, "EMV_FULL_TRACEBACK": knob},
        )
        assert "Did you mean 'source'" in done.stderr
        assert ("emv/runtime" in done.stderr) == says
        assert done.stderr.count("File ") == 1 or says


def test_cells_of_a_notebook_have_its_names(monkeypatch):
    names = {"ipykernel_1/2.py": ("Cell", "In[3]")}
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=names.get))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    place = Loc("ipykernel_1/2.py", 4, 0, 1, "offer", "x = 1")
    assert place.excerpt().splitlines()[0] == "  Cell In[3], line 4, in offer"
    assert str(place) == "Cell In[3]:4"
    assert Loc("mine.py", 4).excerpt() == '  File "mine.py", line 4, in <module>'
