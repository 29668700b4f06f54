"""The formulas of docs/design/memory.md are what the memory plan counts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import emv
from bench import ablation_programs as programs
from emv import Edge, Vertex, edge, f32, program, vertex
from emv.algorithms import bfs, sssp

PAGE = Path(__file__).resolve().parents[3] / "docs" / "design" / "memory.md"
ROW = re.compile(r"^\| (.*?) \| `(.*?)` \| (.*?) \|", re.MULTILINE)
SMALL = ("shared state", "ids", "in_blocks", "longest_row", "piece", "claimed", "near_far")
SMALL += ("levels", "width", "asked")
PARTS = ("rows", "into", "queue", "offsets", "fold")


class Place(Vertex):
    dist: f32 = emv.inf


class Road(Edge[Place]):
    length: f32


@edge
def offer(r: Road):
    r.send(r.src.dist + r.length)


@edge
def offer_up(r: Road):
    if r.src.id < r.dst.id:
        r.send(r.src.dist + 1)


@vertex
def keep(v: Place, dist: f32):
    v.dist = emv.min(v.dist, dist)


@program
def nearest(g):
    for _ in g.supersteps(3):
        keep(g, emv.min(offer(g)))
    return g.vertices.dist


@program
def upward(g):
    for _ in g.supersteps(3):
        keep(g, emv.min(offer_up(g)))
    return g.vertices.dist


ranks, labels = programs.rank_by_edge, programs.labels_from_active
PLANS = {
    "pull, a message for all": lambda g: ranks.memory_plan(g, 3),
    "pull, a message per arc": lambda g: nearest.memory_plan(g),
    "pull, along kept arcs": lambda g: upward.memory_plan(g),
    "push into accumulators": lambda g: ranks.memory_plan(
        g, 3, schedule=emv.buffer("accumulators")
    ),
    "kept: messages in slots": lambda g: programs.rank_by_mlist.memory_plan(
        g, 3, schedule={"share_by_edge": emv.buffer("slots")}
    ),
    "kept: messages at their sources": lambda g: programs.rank_by_mlist.memory_plan(g, 3),
    "claim, from a queue": lambda g: bfs.memory_plan(g, 0, schedule=emv.queue()),
    "claim, either way": lambda g: bfs.memory_plan(g, 0),
    "queue, with a fold": lambda g: labels.memory_plan(g, schedule=emv.queue()),
    "queue, either way": lambda g: labels.memory_plan(g),
    "flags in place of the queue": lambda g: labels.memory_plan(g, schedule=emv.all_active()),
    "relax in place, nearest first": lambda g: sssp.memory_plan(g, 0),
    "a mask, read and written": lambda g: programs.bfs_by_mask.memory_plan(g, 0),
    **{
        f'`layout("{name}")`': lambda g, name=name: ranks.memory_plan(
            g, 3, schedule=emv.layout(name)
        )
        for name in ("aa", "caa", "ell", "coo")
    },
}


def table() -> dict[str, tuple[str, str]]:
    return {name: (first, then) for name, first, then in ROW.findall(PAGE.read_text("utf-8"))}


def graph(directed: bool) -> emv.Graph:
    made = emv.generators.random(1000, 8000, directed=directed, rng=1).on("cpu")
    made.edges.length = made.edges.weight = np.ones(8000, np.float32)
    return made


def test_every_row_is_compared():
    assert set(PLANS) == set(table()) - {f"`{part}`" for part in PARTS}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", PLANS)
def test_formulas_are_what_is_counted(name, directed):
    g, rows = graph(directed), table()
    known = {"V": g.num_vertices, "E": g.num_edges, "A": g.num_arcs, "i": 4, "s": 4}
    known["directed"] = directed
    known["longest"] = int(g.in_degrees().max())
    for part in PARTS:
        known[part] = eval(rows[f"`{part}`"][0], {}, known)
    found = {"working": 0, "index": 0}
    for entry in PLANS[name](g).entries:
        small = entry.name.startswith(SMALL) or entry.name.endswith(("_rows", *SMALL))
        if entry.group in ("working space", "second copies") and not small:
            found["working"] += entry.nbytes
        elif entry.group == "index arrays" and (entry.name.endswith("_rows") or not small):
            found["index"] += entry.nbytes
    working, index = rows[name]
    assert found["working"] == eval(working, {}, known)
    edges = (0, known["A"] * 4)  # of an undirected graph: which edge an arc is, where it is asked
    assert found["index"] - eval(index.strip("`"), {}, known) in edges
