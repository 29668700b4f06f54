"""``emv profile``: tables, an object, a picture."""

from __future__ import annotations

import pytest
from backends_available import BACKENDS
from graph_files import DATA

KARATE = DATA / "mtx" / "karate.mtx"

pytestmark = pytest.mark.skipif("cpu" not in BACKENDS, reason="only compiled runs have a profile")


def test_tables(command):
    outcome = command("profile", "bfs", KARATE, "--source", "0", "--backend", "cpu")
    assert (outcome.code, outcome.err) == (0, "")
    first, second, *lines = outcome.out.splitlines()
    assert "34 vertices" in first
    assert second.startswith("bfs on cpu")
    assert any(line.split()[:3] == ["launch", "calls", "ms"] for line in lines)
    assert any(line.startswith("superstep") for line in lines)


def test_json(command):
    fields = command.json("profile", "sssp", KARATE, "--source", "3", "--device", "cpu")
    assert (fields["program"], fields["file"]) == ("sssp", str(KARATE))
    assert [each["number"] for each in fields["supersteps"]] == list(
        range(len(fields["supersteps"]))
    )
    assert fields["copy_bytes_per_s"] > 0


def test_plot(command, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "profile.svg"
    outcome = command(
        "profile", "pagerank", KARATE, "--device", "cpu", "--plot", picture, "--set", "tol=0.01"
    )
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith(f"saved to {picture}\n")
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("profile", "ALGORITHM, GRAPH"),
        ("profile bfs GRAPH", "--source"),
        ("profile bfs GRAPH --source 0 --device tpu", "'tpu' is no device"),
        ("profile bfs GRAPH --source 0 --device python", "plain Python"),
        ("profile bfs GRAPH --source 0 --plot FOLDER", "is a folder"),
        ("profile bfs GRAPH --source 0 --plot FOLDER/no/x.png", "there is no folder"),
    ],
)
def test_mistake(command, line, expected, tmp_path):
    pytest.importorskip("matplotlib")
    words = [each.replace("FOLDER", str(tmp_path)) for each in line.split()]
    assert expected in command.mistake(*(KARATE if each == "GRAPH" else each for each in words))
