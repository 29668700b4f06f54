"""Times of cascades, small."""

import json

import numpy as np
import pytest

from bench import graphs, influence
from bench.study import run


@pytest.mark.paper("S121")
def test_cores_are_timed_and_agree(tmp_path):
    file = tmp_path / "cores.json"
    given = ["cores", "--scale", "7", "--seeds", "5", "--rounds", "9", "--json", str(file)]
    assert run(*influence.STUDIES, arguments=given) == 0
    (row,) = json.loads(file.read_text())["rows"]
    assert row["mean size"] == pytest.approx(row["other's"], rel=0.3)
    assert row["times as fast"] > 0


@pytest.mark.paper("S119")
def test_steps_are_timed_by_every_loop(capsys):
    assert run(*influence.STUDIES, arguments=["steps", "--scale", "7", "--seeds", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step 1  told ")
    assert all(f"{loop}, ms" in lines[0] for loop in influence.LOOPS)
    assert lines[-1].startswith("all steps")
    assert len(lines) > 4


def test_seeds_are_chosen_on_a_graph_that_peers_were_timed_on(monkeypatch):
    recipe = graphs.Recipe(lambda xp: graphs.uniform(xp, 60), undirected=False, source=0)
    monkeypatch.setitem(graphs.NAMED, "tiny", recipe)
    found = influence.placed("tiny", "cpu")
    src, dst = graphs.load("tiny").arcs()[:2]
    assert found.num_vertices == 60
    assert np.array_equal(np.stack(found.arcs()), np.stack([src, dst]))
    with pytest.raises(SystemExit, match="there is no graph other; there are rand1m"):
        run(*influence.STUDIES, arguments=["sets", "--graph", "other"])
