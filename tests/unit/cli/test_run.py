"""``emv run``: what it prints, as a table and as JSON, and on which devices."""

from __future__ import annotations

import inspect
import itertools
import json

import networkx as nx
import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, MANY_CASES, named_arguments
from backends_available import BACKENDS
from graph_files import DATA

import emv
from emv.algorithms import ALGORITHMS
from emv.cli.arguments import VERTEX_PARAMETERS, plan_call
from emv.cli.results import RESULTS

KARATE = DATA / "mtx" / "karate.mtx"
DEVICES = (*BACKENDS, "auto") if "cpu" in BACKENDS else BACKENDS
REQUIRED_FIELDS = set("algorithm vertices edges device supersteps stopped seconds".split())


@pytest.fixture
def chain(tmp_path):
    """A directed chain of 5 with labels, a shortcut, and two vertices that it does not reach."""
    path = tmp_path / "chain.txt"
    path.write_text("10 20 1\n20 30 1\n30 40 2\n40 50 1\n10 30 5\n70 60 1\n")
    return path


def settings_of(name):
    """Return what an algorithm needs beside vertices to start from."""
    needed = named_arguments(name).items()
    return [f"{key}={value}" for key, value in needed if key not in VERTEX_PARAMETERS]


def sources_of(name):
    takes = inspect.signature(ALGORITHMS[name].python).parameters
    starts = set(VERTEX_PARAMETERS) - {"sources"}  # which are all vertices by default
    return ["--source", "0"] if set(takes) & starts else []


@pytest.mark.parametrize(
    ("name", "device"),
    [
        (name, device)
        for name in sorted(ALGORITHMS)
        for device in (DEVICES if name in MANY_CASES else ["python"])  # pages' tests compile
    ],
)
def test_every_algorithm_runs_on_every_device(command, name, device):
    settings = [word for setting in settings_of(name) for word in ("--set", setting)]
    fields = command.json("run", name, KARATE, *sources_of(name), *settings, "--device", device)
    assert set(fields) >= REQUIRED_FIELDS
    assert fields["algorithm"] == name
    assert (fields["vertices"], fields["edges"]) == (34, 78)
    fastest = "cuda" if emv.cuda_available() else "cpu"
    assert fields["device"] == (fastest if device == "auto" else device)
    assert fields["seconds"] > 0


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_algorithm_says_what_its_result_is(name):
    assert name in RESULTS
    graph, meaning = emv.read(KARATE), RESULTS[name]
    result = meaning.part_of(ALGORITHMS[name](graph, *ARGUMENTS[name], backend="python"))
    rows = graph.num_edges if meaning.per_edge else graph.num_vertices
    assert np.shape(result) == (() if meaning.is_number else (rows,))


def test_pagerank_shows_the_ten_largest_as_networkx_has_them(command):
    fields = command.json("run", "pagerank", KARATE, "--device", "python")
    expected = nx.pagerank(nx.karate_club_graph(), weight=None)
    best = sorted(expected, key=expected.__getitem__, reverse=True)[:10]
    top = fields["result"]["top"]
    assert [each["vertex"] for each in top] == best
    assert [each["value"] for each in top] == pytest.approx([expected[v] for v in best], rel=1e-3)
    assert fields["result"]["column"] == "rank"


def test_table_names_graph_run_and_top_vertices(command):
    outcome = command("run", "pagerank", KARATE, "--device", "python")
    graph, run, blank, heading, *rows = outcome.out.splitlines()
    assert outcome.code == 0
    assert graph.startswith(f"{KARATE}: 34 vertices, 78 edges, undirected, read in ")
    assert run.startswith("pagerank on python: ")
    assert " supersteps (until), " in run
    assert blank == ""
    assert heading.split() == ["vertex", "rank"]
    assert len(rows) == 10
    assert {len(row) for row in rows} == {len(heading)}


def test_source_and_shown_vertices_are_labels(command, chain):
    result = command.json("run", "bfs", chain, "--source", "20", "--device", "python")["result"]
    assert result["reached"] == 4
    assert [(each["vertex"], each["value"]) for each in result["top"]] == [
        (50, 3),
        (40, 2),
        (30, 1),
        (20, 0),
    ]


def test_unreached_distances_are_not_shown(command, chain):
    result = command.json("run", "sssp", chain, "--source", "10", "--device", "python")["result"]
    assert result["reached"] == 5
    assert result["top"][0] == {"vertex": 50, "value": 5.0}


def test_several_sources_by_commas_or_repeated(command, chain):
    arguments = ("run", "bfs", chain, "--device", "python", "--source")
    by_commas = command.json(*arguments, "10,70")["result"]
    repeated = command.json(*arguments, "10", "--source", "70")["result"]
    assert by_commas == repeated
    assert by_commas["reached"] == 7


@pytest.mark.parametrize(("weight", "farthest"), [("1", 3.0), ("0.5", 1.5), ("weight", 5.0)])
def test_weight_is_a_number_or_a_column(command, chain, weight, farthest):
    fields = command.json(
        "run", "sssp", chain, "--source", "10", "--set", f"weight={weight}", "--device", "python"
    )
    assert fields["result"]["top"][0]["value"] == farthest


def test_components_shows_number_and_sizes(command, chain):
    result = command.json("run", "components", chain, "--device", "python")["result"]
    assert result["components"] == 2
    assert result["top"] == [{"vertex": 10, "value": 5}, {"vertex": 60, "value": 2}]


def test_boruvka_counts_and_weighs_the_forest(command, chain):
    result = command.json("run", "boruvka", chain, "--device", "python")["result"]
    assert (result["chosen"], result["weight"]) == (5, 6)
    outcome = command("run", "boruvka", chain, "--set", "weight=2", "--device", "python")
    assert "5 of 6 edges are in the forest, their weight is 10\n" in outcome.out


def test_undirected_lets_edges_lead_both_ways(command, chain):
    arguments = ("run", "bfs", chain, "--source", "50", "--device", "python")
    assert command.json(*arguments)["result"]["reached"] == 1
    assert command.json(*arguments, "--undirected")["result"]["reached"] == 5


def test_seed_chooses_the_draws(command):
    arguments = ("run", "icm", KARATE, "--source", "0", "--device", "python", "--seed")
    reached = [command.json(*arguments, seed)["result"]["reached"] for seed in (1, 1, 2, 3, 4, 5)]
    assert reached[0] == reached[1]
    assert len(set(reached)) > 1


def test_settings_take_the_type_of_their_default():
    settings = ["alpha=1", "max_iter=7", "dangling=drop"]
    call = plan_call("pagerank", settings, [])
    assert call.settings == {"alpha": 1.0, "max_iter": 7, "dangling": "drop"}
    assert [type(each) for each in call.settings.values()] == [float, int, str]
    assert call.value("tol") == 1e-6
    assert call.value("weight") is None


def test_limit_is_reported(command):
    fields = command.json(
        "run", "pagerank", KARATE, "--set", "tol=0", "--set", "max_iter=3", "--device", "python"
    )
    assert (fields["supersteps"], fields["stopped"]) == (3, "limit")


def test_no_number_that_json_lacks(command):
    """Scores that grow without end are inf, and inf is no JSON."""
    outcome = command(
        "run", "katz_centrality", KARATE, "--set", "alpha=1e30", "--device", "python", "--json"
    )
    assert outcome.code == 0
    assert outcome.err.startswith("emv: warning: katz_centrality(): numbers have grown beyond")
    json.loads(outcome.out, parse_constant=pytest.fail)


@pytest.mark.parametrize("device", DEVICES)
def test_graph_without_vertices(command, tmp_path, device):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
    for name in ("pagerank", "components", "boruvka"):
        fields = command.json("run", name, path, "--device", device)
        assert (fields["vertices"], fields["result"]["top"]) == (0, [])
    said = command.mistake("run", "bfs", path, "--source", "0", "--device", device)
    assert said == "--source '0' is no vertex of the graph, it has no vertices"


def test_device_of_the_environment_is_the_default(command, monkeypatch):
    monkeypatch.setattr(emv.config, "backend", "python")
    assert command.json("run", "components", KARATE)["device"] == "python"


def test_ties_fall_to_the_smaller_vertex(command, tmp_path):
    path = tmp_path / "ring.txt"
    path.write_text("".join(f"{v} {(v + 1) % 30}\n" for v in range(30)))
    fields = command.json("run", "pagerank", path, "--device", "python")
    assert [each["vertex"] for each in fields["result"]["top"]] == list(np.arange(10))


@pytest.mark.parametrize(
    ("algorithm", "sentence"),
    [
        ("num_triangles", "45 triangles"),
        ("bipartite_sides", "0 sides; the commonest is that of 0 vertices"),
        ("topological_generations", "0 of 34 vertices reached; the largest generation:"),
        ("k_core", "10 of 34 vertices are in the core"),
    ],
)
def test_results_in_a_sentence(command, algorithm, sentence):
    outcome = command("run", algorithm, KARATE, "--device", "python")
    assert outcome.code == 0
    assert outcome.out.splitlines()[3] == sentence


def test_mates_and_members_are_counted(command):
    given = ("maximal_matching", KARATE, "--device", "python")
    counts = command.json("run", *given)["result"]
    assert 2 * counts["pairs"] + counts["single"] == 34
    given = ("maximal_independent_set", KARATE, "--device", "python")
    alone, preferred = (command.json("run", *given, *more) for more in ((), ("--source", "0")))
    assert 7 <= preferred["result"]["chosen"] <= alone["result"]["chosen"] <= 20


def test_one_number_is_not_saved(command, tmp_path):
    outcome = command("run", "num_triangles", KARATE, "--out", tmp_path / "n.txt")
    assert outcome.code == 2
    assert "num_triangles returns one number, leave --out out" in outcome.err


PLAIN = {
    "average_clustering": [],
    "common_neighbors": [],
    "cosine": [],
    "diameter": [],
    "diameter_bounds": [],
    "influence_maximization": [*("--set", "k=2", "--set", "method=degree"), "--set", "runs=9"],
    "is_bipartite": [],
    "jaccard": [],
    "k_truss": ["--set", "k=4"],
    "leiden": [],
    "louvain": [],
    "overlap": [],
    "random_walks": ["--source", "0,0,33", "--set", "length=3"],
    "sample_neighbors": ["--source", "0,33", "--set", "fanout=2"],
    "sorensen": [],
    "spread": ["--source", "0", "--set", "runs=3"],
    "topological_sort": [],
    "transitivity": [],
}
ELSEWHERE = {"boruvka_by_contraction", "competing_cascades", "ego_graph", "modularity"}
"""boruvka gives the same; no word for two lists; emv convert --ego; a column, tested below."""


def test_every_page_can_be_run():
    pages = {
        name
        for name in emv.algorithms.__all__
        if name[0].islower() and not name.startswith("check_")
    }
    assert pages - ELSEWHERE == {*ALGORITHMS, *PLAIN}


def given_graph(name, tmp_path):
    if name != "topological_sort":
        return KARATE
    path = tmp_path / "dag.txt"
    path.write_text("0 1\n0 2\n1 2\n")
    return path


@pytest.mark.parametrize("name", PLAIN)
def test_functions_run_and_save_all_of_their_result(command, name, tmp_path):
    graph, out = given_graph(name, tmp_path), tmp_path / "a.json"
    meaning = RESULTS[name]
    more = [] if meaning.is_number else ["--out", out]
    line = ("run", name, graph, *PLAIN[name], "--device", "python", *more)
    fields = command.json(*line)
    assert fields["algorithm"] == name
    assert set(fields["results"]) == set(meaning.names)
    if not meaning.is_number:
        saved = json.loads(out.read_text())
        assert set(saved) >= set(meaning.names)
    assert command(*line).code == 0


def test_louvain_by_name_as_a_table(command, tmp_path, caplog):
    out, path = tmp_path / "a.csv", tmp_path / "clubs.ncol"
    path.write_text("ann bob\nbob cy\ncy ann\nx y\ny z\nz x\ncy x\n")
    line = ("run", "louvain", path, "--undirected", "--device", "python", "--out", out)
    done = command(*line)
    assert (done.code, "left out of" in done.err, "2 communities" in done.out) == (0, True, True)
    rows = [row.split(",") for row in out.read_text().split()]
    assert rows[0] == ["vertex", "community"]
    groups = {}
    for vertex, community in rows[1:]:
        groups.setdefault(community, set()).add(vertex)
    assert sorted(map(sorted, groups.values())) == [["ann", "bob", "cy"], ["x", "y", "z"]]


def test_walks_begin_where_they_should_and_follow_edges(command, tmp_path):
    out = tmp_path / "a.json"
    settings = ["--source", "3,3,7", "--set", "length=4", "--device", "python", "--out", out]
    command.json("run", "random_walks", KARATE, *settings)
    walks = json.loads(out.read_text())["value"]
    assert [walk[0] for walk in walks] == [3, 3, 7]
    club = nx.karate_club_graph()
    assert all(club.has_edge(*pair) for walk in walks for pair in itertools.pairwise(walk))


def test_modularity_of_a_column(command, tmp_path):
    g = emv.read(KARATE)
    g.vertices.club = emv.algorithms.louvain(g.on("python"))[0]
    emv.write(g, tmp_path / "clubs.emv")
    line = ("run", "modularity", tmp_path / "clubs.emv", "--set", "community=club")
    found = command.json(*line, "--device", "python")["result"]["modularity"]
    groups = {}
    for vertex, club in enumerate(g.vertices.club.tolist()):
        groups.setdefault(club, set()).add(vertex)
    expected = nx.community.modularity(nx.karate_club_graph(), groups.values(), weight=None)
    assert found == pytest.approx(expected)


def test_a_single_number_is_in_the_object(command):
    fields = command.json("run", "num_triangles", KARATE, "--device", "python")
    assert (
        fields["results"]["value"]["value"]
        == sum(nx.triangles(nx.karate_club_graph()).values()) / 3
    )
