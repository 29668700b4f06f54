"""What notebooks show: well formed, escaped, and with the numbers that the objects hold."""

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import graphs

import emv
from emv import Graph
from emv.algorithms import bfs, hits
from emv.runtime.run import Run, RunColumns
from emv.shown import html
from emv.shown.profile import Profile
from emv.shown.rows import LaunchProfile, SuperstepProfile

HOSTILE = "<script>alert('&')</script>"


def tree_of(shown):
    """The elements of what is shown; an error where a browser would have to guess."""
    assert "<script" not in shown
    return ElementTree.fromstring(f"<page>{shown}</page>")


def text_of(shown):
    return " ".join(tree_of(shown.partition("</style>")[2]).itertext())


@settings(max_examples=30)
@given(graphs(weighted=True))
def test_graphs_show_sizes_columns_and_degrees(graph):
    shown = graph._repr_html_()
    words = text_of(shown)
    assert f"{graph.num_edges}, {'directed' if graph.directed else 'undirected'}" in words
    assert "weight" in words
    bars = tree_of(shown.partition("</style>")[2]).findall(".//rect/title")
    counted = sum(int(bar.text.split(" vertices")[0].replace(",", "")) for bar in bars)
    assert counted == graph.num_vertices


def test_degrees_are_the_graphs():
    graph = Graph.from_edges([0, 0, 0, 3], [1, 2, 0, 3], num_vertices=6, directed=False)
    words = text_of(graph._repr_html_())
    assert "degree 0 to 3, mean 1" in words
    assert "2 vertices of degree 0" in words
    assert "3 vertices of degree 1" in words
    assert "1 vertices of degree 2-3" in words


def test_runs_show_how_they_went():
    graph = Graph.from_edges([0, 1], [1, 2])
    run = hits.run(graph, backend="cpu")
    words = text_of(run._repr_html_())
    for each in ("hits on cpu", run.stopped, "result 0", "result 1", "float", "hub"):
        assert each in words
    assert "loop_" in words
    number = emv.algorithms.num_triangles.run(graph.prepared(symmetrise=True), backend="cpu")
    assert "result" in text_of(number._repr_html_())


@pytest.mark.parametrize(
    "result", [np.array([]), np.array([np.inf, np.nan]), np.eye(2), np.array([True]), None, 3, ()]
)
def test_any_result_is_shown(result):
    run = Run(HOSTILE, result, RunColumns({}), RunColumns({}), 0, HOSTILE, 0.0, HOSTILE)
    assert HOSTILE in text_of(run._repr_html_())


def test_plans_and_explanations_show_their_parts():
    graph = Graph.from_edges([0, 1], [1, 2]).on("cpu")
    plan = bfs.memory_plan(graph, 0)
    words = text_of(plan._repr_html_())
    assert f"{plan.peak_bytes:,} bytes" in words
    assert all(entry.name in words for entry in plan.entries)
    told = bfs.explain(graph, 0)
    assert isinstance(told, str)
    sections = tree_of(told._repr_html_().partition("</style>")[2]).findall(".//summary")
    assert {"effects", "memory bfs"} <= {each.text for each in sections}


def test_profiles_show_launches_and_supersteps():
    launch = LaunchProfile(HOSTILE, 2, 0.5, 3, 4, 5, 0.1)
    steps = [SuperstepProfile(n, 0.25, 1, 2, 3, 0.1, "push", False, {}) for n in range(100)]
    shown = Profile("p", "cpu", HOSTILE, (launch,), tuple(steps), 1e9)._repr_html_()
    words = text_of(shown)
    assert HOSTILE in words
    assert "99 supersteps" in words
    assert "and 39 more" in words


def test_whatever_is_named_is_escaped():
    for shown in (
        html.framed(HOSTILE, html.facts([(HOSTILE, HOSTILE)]), html.table([HOSTILE], [[HOSTILE]])),
        html.framed(HOSTILE, html.folded(HOSTILE, HOSTILE)),
        html.framed(HOSTILE, html.columns([1], [HOSTILE], HOSTILE)),
        html.framed(HOSTILE, html.shares([(HOSTILE, 1.0, HOSTILE)])),
    ):
        assert text_of(shown).count(HOSTILE) >= 2


def test_light_and_dark_are_told_by_style():
    shown = Graph()._repr_html_()
    assert "prefers-color-scheme: dark" in shown
    assert "jp-theme-light" in shown
    assert "#fff" not in shown
    assert "black" not in shown


def test_importing_emv_loads_no_pages():
    text = "import sys, emv; sys.exit(any(n in sys.modules for n in ('emv.shown.html', 'html')))"
    assert subprocess.run([sys.executable, "-c", text]).returncode == 0
