"""Where counting takes the first message, results and supersteps are those of the eager backend."""

from __future__ import annotations

import importlib.util
import random
import sys

import numpy as np
import pytest
from backends.agreement import same_course
from backends_available import BACKENDS
from counted_programs import counted
from interleaved_cpu import interleaved
from interpreted_cpu import interpreted
from random_changes import Script
from scheduled import launches
from spelled_searches import FAR, by_hops, farther, keep_fewer

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.ir.schedule import Relax

NUM_PROGRAMS = 40 if "cpu" in BACKENDS else 15  # a simulated GPU takes seconds for each
COMPILED = (0, 59)
"""Seeds of programs that are compiled, both claimed."""


def graph_of(draw):
    """Return a graph with loops, repeated edges and vertices out of reach."""
    vertices = draw.choice((1, 2, 5, 12, 40))
    edges = draw.choice((0, vertices, 3 * vertices))
    ends = [draw.choices(range(vertices), k=edges) for _ in range(2)]
    if draw.random() < 0.4:  # far to go
        ends = [[*range(vertices - 1)], [*range(1, vertices)]]
    return Graph.from_edges(*ends, num_vertices=vertices, directed=draw.random() < 0.7)


def main_of(folder, seed):
    """Return the program of a seed; functions need a file, since they are read."""
    name = f"counted_{seed}"
    path = folder / f"{name}.py"
    path.write_text(counted(seed).text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def check(folder, seeds, graphs=3):
    """Compare random programs with the eager backend; return how many are claimed."""
    claimed = 0
    for seed in seeds:
        main, draw = main_of(folder, seed), random.Random(seed)
        for _ in range(graphs):
            graph = graph_of(draw)
            ids = [draw.choices(range(graph.num_vertices), k=draw.choice((1, 2))) for _ in "ab"]
            both(main, graph, *ids)
        claimed += any(getattr(each.shortcut, "rises", False) for each in launches(main, [0], [0]))
    return claimed


def both(main, graph, *args):
    """Compare a run with the eager one, its supersteps too where the compiler must keep them."""
    wanted = main.run(graph, *args, backend="python")
    relaxes = any(isinstance(each.shortcut, Relax) for each in launches(main, *args))
    for backend in BACKENDS:
        found = main.run(graph, *args, backend=backend)
        np.testing.assert_array_equal(np.asarray(found.result), np.asarray(wanted.result))
        assert relaxes or "/" in backend or found.supersteps == wanted.supersteps


def test_random_programs(tmp_path):
    with interpreted():
        claimed = check(tmp_path, range(NUM_PROGRAMS))
    assert NUM_PROGRAMS // 4 < claimed < NUM_PROGRAMS


@pytest.mark.skipif("cpu" not in BACKENDS, reason="threads are those of cores")
def test_random_programs_on_two_threads(tmp_path):
    with interleaved() as turns:
        check(tmp_path, range(NUM_PROGRAMS, NUM_PROGRAMS + 15), graphs=2)
        assert turns.shared > 15


@pytest.mark.parametrize("seed", COMPILED)
def test_compiled_programs(seed, tmp_path):
    assert check(tmp_path, [seed]) == 1


class Stop(Vertex):
    stops: i32 = 2**31 - 1


@edge
def one_more(e: Edge[Stop]):
    e.send(e.src.stops + 1)


@vertex
def keep_least(v: Stop, stops: i32):
    if stops < v.stops:
        v.stops = stops
        v.activate()


@program
def within(g, sources, limit):
    g.vertices.hops[:] = 3
    keep_fewer(g.only(sources), 0)
    for _ in g.supersteps(limit):
        heard = farther(g.active)
        keep_fewer(heard.receivers, emv.min(heard))
    return g.vertices.hops


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9])
def test_messages_that_reach_what_all_began_with_claim_nobody(limit):
    line = Graph.from_edges(np.arange(99), np.arange(1, 100))
    star = Graph.from_edges(np.r_[0, 1, 2, np.full(90, 3)], np.arange(1, 94))
    with interpreted():
        for graph in (line, star):
            same_course(within, graph, [0], limit)


@edge
def three_more(e: Edge[Stop]):
    e.send(e.src.stops + 3)


@program
def around_the_end(g, source):
    keep_least(g.only(source), 2**31 - 3)
    for _ in g.supersteps():
        stops = three_more(g.active)
        keep_least(stops.receivers, emv.min(stops))
    return g.vertices.stops


def test_what_wraps_is_less_than_what_was_there():
    ring = Graph.from_edges(np.arange(5), np.r_[np.arange(1, 5), 0])
    with interpreted():
        both(around_the_end, ring, [0])


@program
def up_to_three(g, sources):
    g.vertices.hops[:] = 3
    keep_fewer(g.only(sources), 0)
    for _ in g.supersteps():
        heard = farther(g.active)
        keep_fewer(heard.receivers, emv.min(heard))
    return g.vertices.hops


@pytest.mark.parametrize("copies", [3, 40])
def test_batches_count_as_one_by_one(backend, copies):
    graph = Graph.from_edges(np.arange(30), np.r_[np.arange(1, 30), 0])
    ids = [7 * each % 30 for each in range(copies)]
    with interpreted():
        for made in (by_hops, up_to_three):
            found = np.asarray(made.batch(graph, ids, backend=backend))
            wanted = [np.asarray(made(graph, each, backend="python")) for each in ids]
            np.testing.assert_array_equal(found, wanted)


@program
def count_stops(g, source):
    keep_least(g.only(source), 0)
    for _ in g.supersteps():
        stops = one_more(g.active)
        keep_least(stops.receivers, emv.min(stops))
    return g.vertices.stops


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_are_brought_to_every_version(backend):
    script, warm = Script(11, True, size=40), 0
    with interpreted():
        run = count_stops.run(script.graph, 0, backend=backend)
        for _ in range(20):
            script.step(4)
            if script.graph.num_vertices == 0:
                break
            run = count_stops.update(run, script.graph)
            wanted = count_stops.run(script.graph, 0, backend="python").result
            np.testing.assert_array_equal(np.asarray(run.result), np.asarray(wanted))
            warm += run.updated.startswith("stops went on from the ends of")
    assert warm > 3


@program(host_loop=True)
def by_rounds(g, source, rounds):
    keep_fewer(g.only(source), 0)
    for _ in range(rounds):
        for _ in g.supersteps(2):
            heard = farther(g.active)
            keep_fewer(heard.receivers, emv.min(heard))
        if int(emv.smallest(g.vertices.hops)) > 0:
            break
    return g.vertices.hops


def test_pieces_of_a_host_loop_begin_with_whoever_is_active(backend):
    graph = Graph.from_edges(np.arange(12), np.arange(1, 13))
    with interpreted():
        found = np.asarray(by_rounds(graph, 0, 3, backend=backend))
    assert found.tolist() == [*range(7), *[FAR] * 6]
