"""Who runs beside whom: what pays is measured, and jobs of one family become a batch."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import emv
from emv import Graph, Vertex, program, vertex
from emv.algorithms import bfs, pagerank
from emv.service import Claim, Ledger, Service
from emv.service.pairing import Pairing


def job(kind, fill=1.0, share=1.0):
    return SimpleNamespace(runs_as=kind, fill=fill, share=share)


def measured(times, beside=()):
    pairing = Pairing()
    for kind, seconds in times.items():
        for _ in range(2):
            pairing.heard(kind, seconds, {})
    for kind, other, seconds in beside:
        pairing.heard(kind, seconds, {other: seconds})
    return pairing


@pytest.mark.paper("S109", "S111")
def test_two_that_complement_each_other_are_paired_and_two_that_do_not_are_not():
    times = {"bandwidth": 1.0, "latency": 1.0, "bandwidth too": 1.0}
    together = [
        ("bandwidth", "latency", 1.2),
        ("latency", "bandwidth", 1.3),
        ("bandwidth", "bandwidth too", 2.0),
        ("bandwidth too", "bandwidth", 2.0),
    ]
    pairing = measured(times, together)
    assert pairing.rate("bandwidth", "latency") == pytest.approx(1 / 1.2 + 1 / 1.3)
    assert pairing.may("latency", "bandwidth")
    assert pairing.rate("bandwidth", "bandwidth too") == 1.0
    assert not pairing.may("bandwidth", "bandwidth too")


def test_whoever_was_not_measured_alone_runs_alone():
    pairing = measured({"known": 1.0})
    pairing.heard("met once", 9.0, {})  # which compiled
    for kind in ("met once", "new", None):
        assert not pairing.may("known", kind)
        assert pairing.share(job(kind), [job("known", 0.1)], []) == 0
        assert pairing.share(job(kind), [], [job("known")]) == 1


def test_shares_add_up_to_one_gpu_at_most():
    pairing = measured(dict.fromkeys("abc", 1.0))
    large, small = job("a"), job("b", fill=0.1)
    assert pairing.share(large, [], [large]) == 1.0
    assert pairing.share(large, [], [large, job("b")]) == 0.5
    assert pairing.share(small, [], [small, large]) == 1.0  # it takes no more than it fills
    half = job("a", share=0.5)
    assert pairing.share(job("b"), [half], []) == 0.5
    assert pairing.share(job("b"), [half, job("c", share=0.5)], []) == 0
    assert pairing.share(job("b"), [job("c", fill=0.1)], []) == 0.5
    assert pairing.share(small, [job("a", share=0.5), job("c", fill=0.3, share=0.5)], []) == 0.125


def test_times_beside_count_where_two_overlap():
    pairing = measured({"a": 1.0, "b": 1.0})
    pairing.heard("a", 1.5, {"b": 0.5})
    pairing.heard("a", 1.5, {"b": 1.4, "c": 1.0})
    assert pairing.rate("a", "b") is None
    assert pairing.may("a", "b")


def test_a_larger_claim_takes_the_place_of_a_smaller_or_nothing_changes():
    ledger = Ledger(100)
    ledger.reserve("job", Claim(40))
    assert not ledger.exchange("job", Claim(101))
    assert ledger.free == 60
    assert ledger.exchange("job", Claim(80))
    assert ledger.free == 20


@pytest.fixture(scope="module")
def graph():
    draw = np.random.default_rng(8)
    src, dst = draw.integers(0, 60, (2, 200))
    return Graph.from_edges(src, dst, num_vertices=60, weight=draw.random(200))


def held_up():
    """Return a job that waits, and what lets it end."""
    gate = threading.Event()
    return (lambda g: gate.wait(60)), gate.set


@pytest.mark.paper("S107", "S112")
def test_small_jobs_of_one_program_become_one_batch(graph):
    wait, let_go = held_up()
    with Service("cpu", batch=4) as service:
        alone = [service.submit(bfs, graph, 0).result() for _ in range(2)]
        service.submit(wait, graph, memory=1)
        jobs = [service.submit(bfs, graph, source, user=f"u{source % 2}") for source in range(7)]
        late = service.submit(bfs, graph, 9, deadline=60)
        other = service.submit(pagerank, graph)
        cancelled = service.submit(bfs, graph, 50)
        assert cancelled.cancel()
        let_go()
        found = [each.result() for each in jobs]
    assert sorted(each.size for each in jobs)[-1] == 4
    for source, each in enumerate(found):
        right = bfs(graph, source, backend="cpu")
        assert np.array_equal(each, right)
        assert np.array_equal(jobs[source].run.vertices.depth, right)
        assert jobs[source].run.said.args == (source,)
    assert np.array_equal(alone[0], found[0])
    assert late.size == other.size == 1
    assert {each.ended for each in service.report().values()} >= {3, 4}


@vertex
def is_later(v: Vertex, other: int):
    return 1 if v.id > other else 0


@program
def later(g, other):
    return emv.total(is_later(g, other))  # one number for all copies, which batches refuse


def test_what_batches_refuse_runs_alone_from_then_on(graph):
    wait, let_go = held_up()
    with Service("cpu", batch=4) as service:
        for _ in range(2):
            service.submit(later, graph, 0).result()
        service.submit(wait, graph, memory=1)
        jobs = [service.submit(later, graph, other) for other in (1, 2, 10, 3)]
        let_go()
        assert [each.result() for each in jobs] == [58, 57, 49, 56]
        assert len(service.turns.together.refused) == 1
