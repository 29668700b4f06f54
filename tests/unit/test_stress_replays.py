"""A stream of changes replayed, compared and killed, small."""

import sys

import pytest

from emv import Graph
from tests.stress import replays

SMALL = ["--changes", "3000", "--batch", "300", "--every", "2", "--kept-batch", "600"]


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "ring.txt"
    path.write_text("".join(f"{each} {(each * 7 + 1) % 300}\n" for each in range(300)))
    return str(path)


def test_a_stream_is_replayed_and_compared(graph, capsys):
    assert replays.main([*SMALL, "--graph", graph, "--kills", "0", "--undirected"]) == 0
    assert "10 versions, 5 compared: as built anew" in capsys.readouterr().out


def test_versions_that_differ_are_named(graph, monkeypatch):
    right = replays.Model.built

    def forgets(model):
        made = right(model)
        return made.remove_edges([0])

    monkeypatch.setattr(replays.Model, "built", forgets)
    with pytest.raises(SystemExit, match="version 2: src"):
        replays.main([*SMALL, "--graph", graph, "--kills", "0"])


def test_a_stream_adds_and_removes_what_is_there():
    g = Graph.from_edges(range(10), [(each + 1) % 10 for each in range(10)])
    there: list = []
    for sign, src, dst, weight in replays.changes_of(g, 200, seed=3):
        assert weight > 0
        if sign == "+":
            there.append((src, dst))
        else:
            assert there.pop(0) == (src, dst)
        assert len(there) <= 6


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_the_killed_lose_nothing(graph, capsys):
    given = [*SMALL, "--graph", graph, "--kills", "3", "--every", "10"]
    assert replays.main(given) == 0
    assert "killed 3 times: all versions told of are there" in capsys.readouterr().out
