"""``emv generate``: a graph by rule, in a file."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import generators


def test_file_has_the_graph(command, tmp_path):
    path = tmp_path / "rmat.mtx"
    facts = command.json(
        "generate", "rmat", "100", "8e2", path, "--seed", "5", "--weights", "0,100"
    )
    graph, read = generators.rmat(100, 800, rng=5, weights=(0, 100)), emv.read(path)
    assert (facts["model"], facts["vertices"], facts["edges"]) == ("rmat", 100, 800)
    assert facts["directed"]
    assert np.array_equal(read.edges.src, graph.edges.src)
    assert np.array_equal(read.edges.dst, graph.edges.dst)
    assert np.array_equal(read.edges.weight, graph.edges.weight)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["grid", "3", "4"], lambda: generators.grid(3, 4)),
        (["grid", "3", "4", "--set", "periodic=yes"], lambda: generators.grid(3, 4, periodic=True)),
        (
            ["stochastic_block", "3,4", "[[1,0.5],[0.5,0]]"],
            lambda: generators.stochastic_block([3, 4], [[1, 0.5], [0.5, 0]]),
        ),
        (
            ["rmat", "8", "--set", "m=9", "--set", "chances=.25,.25,.25,.25"],
            lambda: generators.rmat(8, 9, (0.25, 0.25, 0.25, 0.25)),
        ),
        (["star", "5", "--directed"], lambda: generators.star(5, directed=True)),
        (["random", "5", "9", "--undirected"], lambda: generators.random(5, 9, directed=False)),
    ],
)
def test_parameters_by_place_and_by_name(command, tmp_path, words, expected):
    path = tmp_path / "graph.emv"
    place = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    outcome = command("generate", *words[:place], path, *words[place:])
    assert outcome.code == 0
    graph, read = expected(), emv.read(path)
    assert read.directed == graph.directed
    assert np.array_equal(read.edges.src, graph.edges.src)
    assert np.array_equal(read.edges.dst, graph.edges.dst)


def test_line(command, tmp_path):
    path = tmp_path / "sides.mtx"
    outcome = command("generate", "bipartite", "30", "40", "50", path)
    line = f"{path}: bipartite, 70 vertices, 50 edges, undirected, made in "
    assert outcome.out.startswith(line)


def test_columns_can_be_left_out(command, tmp_path):
    path = tmp_path / "blocks.graph"
    words = ["generate", "stochastic_block", "3,3", "[[1,1],[1,1]]", path]
    assert "give --drop block" in command.mistake(*words)
    assert command.json(*words, "--drop", "block")["edges"] == 15


MISTAKES = {
    "there is no model 'rmap'. Did you mean 'rmat'?": ["rmap", "5", "6"],
    "rmat needs n and m, write emv generate rmat N M OUT": ["rmat"],
    "star takes n, but 2 values came": ["star", "5", "6"],
    "rmat was given n by its place and by --set n": ["rmat", "5", "6", "--set", "n=7"],
    "rmat has no parameter 'nois'. Did you mean 'noise'?": ["rmat", "5", "6", "--set", "nois=0"],
    "--set noise has no value": ["rmat", "5", "6", "--set", "noise"],
    "'five' for star is no number": ["star", "five"],
    "n is 0.5, but it is a whole number": ["star", "0.5"],
    "weights is 5, but it is (low, high)": ["star", "5", "--weights", "5"],
    "device is 'python', but": ["rmat", "5", "6", "--device", "python"],
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes(command, tmp_path, what):
    model, *words = MISTAKES[what]
    place = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
    words.insert(place, tmp_path / "out.mtx")
    assert what in command.mistake("generate", model, *words)
    assert not (tmp_path / "out.mtx").exists()


def test_files_that_cannot_be_written(command, tmp_path):
    assert "does not tell a format" in command.mistake("generate", "star", "5", tmp_path / "a.foo")
    assert "there is no folder" in command.mistake(
        "generate", "star", "5", tmp_path / "no" / "a.mtx"
    )
