"""Versions that a folder keeps: small, as they were, and whole whoever is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_changes import Script, matches

import emv
from emv import Graph
from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io import directory


def entries(path: Path) -> list[dict]:
    return json.loads((path / "graph.json").read_text())["versions"]


def num_bytes(path: Path) -> int:
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labelled", [True, False])
def test_every_version_of_a_random_script_comes_back(tmp_path, directed, labelled) -> None:
    path, models = tmp_path / "g.emv", []
    script = Script(f"kept {directed}", directed, labelled, size=50)
    for _ in range(20):
        emv.write(script.graph, path, keep=True)
        models.append(script.model.copied())
        script.step(4)
    kinds = ["has_labels" in each for each in entries(path)]
    assert kinds.count(True) > 12  # the others are whole
    assert len(list(path.iterdir())) == 21
    for number, model in enumerate(models, 1):
        matches(emv.read(path, version=number), model)
    directory.verify(path)
    last = emv.read(path)
    matches(last, models[-1])
    assert last._store.keys.next_edge(last.num_edges) == models[-1].next_key
    assert emv.read(path, directed=not directed).num_edges == last.num_edges
    assert emv.read(path, loops=False).num_edges <= last.num_edges


def test_a_version_takes_the_room_of_what_changed(tmp_path) -> None:
    path, draw = tmp_path / "g.emv", np.random.default_rng(3)
    g = Graph.from_edges(*draw.integers(0, 1000, (2, 20_000)), num_vertices=1000)
    g.edges.weight = draw.random(20_000)
    emv.write(g, path)
    first = num_bytes(path)
    later = g.add_edges([1, 2], [3, 4], weight=[0.5, 0.25]).remove_edges([7])
    emv.write(later, path, keep=True)
    assert num_bytes(path) < first + 10_000
    renamed = later.add_vertices(1)
    renamed.edges.weight = renamed.edges.weight * 2
    emv.write(renamed, path, keep=True)
    assert 8 * 20_000 < num_bytes(path) - first < 8 * 20_000 + 20_000  # one column is another
    for number, each in enumerate((g, later, renamed), 1):
        back = emv.read(path, version=number)
        assert back.edge_keys.tolist() == each.edge_keys.tolist()
        assert back.edges.weight.tobytes() == each.edges.weight.tobytes()
        for name, values in each.layouts.to_store().items():
            assert back.layouts.array(name).tolist() == values.tolist()
    more = emv.read(path).add_edges([0], [999], weight=1.0)
    assert more.edge_keys[-1] == 20_002


def test_columns_come_and_go(tmp_path) -> None:
    path = tmp_path / "g.emv"
    g = Graph.from_edges([0, 1, 2] * 50, [1, 2, 0] * 50, num_vertices=60)
    g.vertices.rank = np.arange(60, dtype="f4")
    g.edges.flag = [True, False, True] * 50
    emv.write(g, path, keep=True)
    later = g.add_edges([5], [6], flag=True)
    del later.vertices.rank
    later.edges.km = np.arange(151.0)
    emv.write(later, path, keep=True)
    again = later.add_edges([5], [6], flag=False, km=2.0)
    again.edges.flag = np.arange(152, dtype="i2")
    emv.write(again, path, keep=True)
    assert ["has_labels" in each for each in entries(path)] == [False, True, True]
    second, last = emv.read(path, version=2), emv.read(path)
    assert (list(second.vertices), list(second.edges)) == ([], ["flag", "km"])
    assert (last.edges.flag.dtype, last.edges.flag.tolist()) == ("i2", list(range(152)))
    assert (second.edges.flag.dtype, last.edges.km[-1]) == ("?", 2.0)
    assert emv.read(path, version=1).vertices.rank.tolist() == list(range(60))


def test_another_graph_is_a_version_that_is_whole(tmp_path) -> None:
    path = tmp_path / "g.emv"
    emv.write(Graph.from_edges([0] * 99, [1] * 99), path, keep=True)
    for other in (
        Graph.from_edges([1] * 99, [0] * 99),
        Graph.from_edges([1] * 99, [0] * 99, directed=False),
        Graph.from_edges([1] * 99, [0] * 99, labels=["ann", "bob"]),
        Graph.from_edges([1] * 99, [0] * 99, labels=["bob", "ann"]),
    ):
        emv.write(other, path, keep=True)
        back = emv.read(path)
        assert [each.tolist() for each in back.arcs()] == [each.tolist() for each in other.arcs()]
        assert ("has_labels" in entries(path)[-1], back.directed) == (False, other.directed)
    emv.write(emv.read(path), path)
    assert len(list(path.iterdir())) == 2  # without keep=True only one is there


def test_keys_come_back(tmp_path) -> None:
    path = tmp_path / "g.emv"
    g = Graph.from_edges([0, 1, 2], [1, 2, 0]).remove_edges([1]).remove_vertices([1])
    emv.write(g, path)
    back = emv.read(path)
    assert (back.edge_keys.tolist(), back.labels.tolist()) == ([2], [0, 2])
    assert back.add_vertices(1).add_edges([3], [0]).edge_keys.tolist() == [2, 3]


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
import emv
from emv import Graph

path, first = Path(sys.argv[1]), Graph.from_edges(np.arange(300) % 7, np.arange(300) % 5, km=1.0)
versions = [first, first.add_edges([6], [0], km=2.0).remove_edges([3])]
EVENTS = {"open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "shutil.rmtree"}

def killed_at(step, graph, keep):
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    left = [step]
    def count(event, told):
        if event in EVENTS:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    emv.write(graph, path, keep=keep)
    os._exit(0)

emv.write(first, path.with_name("other.emv"))  # loads what a child would load
emv.read(path.with_name("other.emv"))
for number, graph in enumerate(versions):
    steps = 0
    while killed_at(steps, graph, True):
        steps += 1
        try:
            back = emv.read(path)
        except emv.EmvError:
            assert number == 0, "the versions there were are gone"
            continue
        history = emv.graph.io.open_directory.read_history(path).versions
        assert len(history) in (number, number + 1), len(history)
        for place in range(len(history)):
            found = emv.read(path, version=place + 1)
            assert found.edges.km.tolist() == versions[place].edges.km.tolist()
            assert found.edge_keys.tolist() == versions[place].edge_keys.tolist()
        if len(history) > number:  # it is there, though its writer died
            break
    print(number, steps)
emv.write(versions[0], path, keep=True)
assert len(list(path.iterdir())) == 1 + len(emv.graph.io.open_directory.read_history(path).versions)
"""


@pytest.mark.skipif(not hasattr(sys, "addaudithook"), reason="nothing tells of system calls")
def test_whoever_is_killed_at_any_step_leaves_the_versions_there_were(tmp_path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "g.emv")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    steps = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(steps) == 2
    assert min(steps) > 5


def test_a_writer_that_another_one_beats_adds_to_its_version(tmp_path, monkeypatch) -> None:
    path = tmp_path / "g.emv"
    g = Graph.from_edges([0, 1] * 40, [1, 0] * 40)
    emv.write(g, path, keep=True)
    from emv.graph.io import write_directory

    write, later = write_directory._entry_written, g.add_edges([0], [1])

    def beaten(*args):
        monkeypatch.setattr(write_directory, "_entry_written", write)
        emv.write(later, path, keep=True)
        return write(*args)

    monkeypatch.setattr(write_directory, "_entry_written", beaten)
    emv.write(later.add_edges([1], [0]), path, keep=True)
    assert [emv.read(path, version=each).num_edges for each in (1, 2, 3)] == [80, 81, 82]
    assert entries(path)[2]["arrays"]["keys"]["length"] == 1
    assert len(list(path.iterdir())) == 4


def damaged(path: Path, name: str, values) -> None:
    place = path / entries(path)[1]["folder"] / f"{name}.npy"
    place.unlink()
    np.save(place, values)


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("src", np.array([9], "i4"), "an edge ends at no vertex"),
        ("dst", np.array([-1], "i4"), "an edge ends at no vertex"),
        ("keys", np.array([3], "i4"), "keys are given twice"),
        ("edges_gone", np.array([900]), "rows are gone that there are not"),
        ("edges.flag", np.array([7], "u1").view("?"), "neither true nor false"),
    ],
)
def test_what_is_no_later_version_is_refused(tmp_path, name, values, said) -> None:
    path = tmp_path / "g.emv"
    g = Graph.from_edges([0, 1] * 40, [1, 0] * 40, flag=True)
    emv.write(g, path, keep=True)
    emv.write(g.add_edges([0], [1], flag=True).remove_edges([2]), path, keep=True)
    assert emv.read(path).num_edges == 80
    damaged(path, name, values)
    with pytest.raises(GraphFormatError, match=said):
        emv.read(path)
    assert emv.read(path, version=1).num_edges == 80


def test_what_cannot_be_kept_or_read_is_refused(tmp_path) -> None:
    path, g = tmp_path / "g.emv", Graph.from_edges([0], [1])
    emv.write(g, path, keep=True)
    with pytest.raises(GraphFormatError, match=r"has no version 2, versions have the numbers 1"):
        emv.read(path, version=2)
    with pytest.raises(GraphFormatError, match="has no version 0"):
        emv.read(path, version=0)
    with pytest.raises(ArgumentError, match="version is 'a'"):
        emv.read(path, version="a")
    emv.write(g, tmp_path / "a.mtx")
    with pytest.raises(ArgumentError, match="which has no versions"):
        emv.read(tmp_path / "a.mtx", version=1)
    with pytest.raises(ArgumentError, match="keeps no earlier versions"):
        emv.write(g, tmp_path / "a.mtx", keep=True)
    with pytest.raises(ArgumentError, match="keeps versions in a folder"):
        emv.write(g, "-", keep=True)
    with pytest.raises(ArgumentError, match="keep is 3"):
        emv.write(g, path, keep=3)
    with pytest.raises(ArgumentError, match="drop= leaves nothing out"):
        emv.write(g, path, keep=True, drop=("labels",))
