"""``emv info``: the facts of a graph file."""

from __future__ import annotations

import statistics

import pytest
from graph_files import DATA, WIKI_VOTE

KARATE = DATA / "mtx" / "karate.mtx"


def test_facts_of_a_real_graph(command):
    """The counts are SNAP's: https://snap.stanford.edu/data/wiki-Vote.html."""
    facts = command.json("info", WIKI_VOTE)
    assert (facts["vertices"], facts["edges"], facts["arcs"]) == (7115, 103689, 103689)
    assert facts["format"] == "edge-list"
    assert facts["directed"]
    assert facts["labels"]
    assert facts["out_degree"]["max_at"] == 2565
    assert facts["in_degree"]["max_at"] == 4037
    assert facts["out_degree"]["mean"] == pytest.approx(103689 / 7115)
    assert (facts["loops"], facts["repeated_edges"], facts["isolated"]) == (0, 0, 0)


def test_loops_repeats_isolated_and_columns(command, tmp_path):
    path = tmp_path / "odd.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n5 5 5\n"
        "2 1 0.5\n2 1 1.5\n3 3 1\n4 1 1\n4 1 1\n"
    )
    facts = command.json("info", path)
    assert (facts["loops"], facts["repeated_edges"], facts["isolated"]) == (1, 2, 1)
    assert facts["arcs"] == 9
    assert facts["degree"] == {
        "min": 0,
        "mean": 1.8,
        "max": 4,
        "deviation": pytest.approx(statistics.pstdev([4, 2, 1, 2, 0])),
        "max_at": 0,
    }
    assert facts["edge_columns"] == {"weight": "f64"}
    assert facts["vertex_columns"] == {}
    assert facts["format"] == "matrix-market"
    assert facts["bytes"] == 5 * (4 + 4 + 8)


def test_edges_of_both_directions_are_repeats_only_without_direction(command, tmp_path):
    path = tmp_path / "both.txt"
    path.write_text("0 1\n1 0\n")
    assert command.json("info", path)["repeated_edges"] == 0
    assert command.json("info", path, "--undirected")["repeated_edges"] == 1


def test_diameter_and_components_on_request(command):
    facts = command.json("info", KARATE, "--diameter", "--components")
    assert (facts["diameter"], facts["components"], facts["largest_component"]) == (5, 1, 34)
    assert "diameter" not in command.json("info", KARATE)
    outcome = command("info", KARATE, "--components")
    assert "largest component  34\n" in outcome.out


def test_table(command):
    outcome = command("info", KARATE)
    lines = dict(line.split("  ", 1) for line in outcome.out.splitlines())
    cells = {name.strip(): cell.strip() for name, cell in lines.items()}
    assert cells["graph"] == str(KARATE)
    assert cells["format"] == "matrix-market"
    assert cells["directed"] == "no"
    assert cells["degree"] == "1 to 17 (vertex 33), 4.588 +- 3.82"
    assert cells["edge columns"] == "none"
    assert cells["read in"].endswith("s")


def test_graph_without_vertices(command, tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
    facts = command.json("info", path)
    assert facts["out_degree"] == {
        "min": 0,
        "mean": 0.0,
        "max": 0,
        "deviation": 0.0,
        "max_at": None,
    }
    assert "0 to 0, 0 +- 0\n" in command("info", path).out


def test_format_can_be_given(command, tmp_path):
    path = tmp_path / "edges.gml"
    path.write_text("0 1\n1 2\n")
    assert "give --format edge-list if" in command.mistake("info", path)
    facts = command.json("info", path, "--format", "edge-list")
    assert (facts["format"], facts["edges"]) == ("edge-list", 2)


def test_first_line_can_be_kept_or_left_out(command, tmp_path):
    path = tmp_path / "sized.txt"
    path.write_text("3 4\n0 1\n1 2\n2 0\n0 2\n")
    edges = [command.json("info", path, "--header", each)["edges"] for each in ("yes", "no")]
    assert edges == [4, 5]
    outcome = command("info", path)
    assert outcome.code == 0
    assert outcome.err == (
        f"emv: warning: {path}:1: 3 4 is taken as a size line, not as an edge; "
        "--header no keeps it\n"
    )


def test_parts(command, tmp_path):
    facts = command.json("info", KARATE, "--parts", 2, "--hops", 2)
    parts = facts["parts"]
    assert sum(parts["arcs"][0]) == facts["arcs"]
    assert sum(parts["vertices"]) == 34
    assert len(parts["replicas"]) == 2
    assert 0 < parts["cut_share"] < 1
    assert "2 parts, cut" in command("info", KARATE, "--parts", 2, "--by", "hash").out


@pytest.mark.parametrize("option", [["--by", "hash"], ["--hops", 2]])
def test_parts_that_are_not_asked_for_have_no_way(command, option):
    assert "--parts is not given" in command.mistake("info", KARATE, *option)
