"""Programs as one kernel a GPU that meet inside: results, what fails, and who cannot."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
from far_stores import marked
from parted_programs import Place, labels, spread, spread_on, take, warm
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, edge, f64, program, vertex
from emv.algorithms import bfs, pagerank
from emv.backends.cuda.device import DEVICES
from emv.backends.simulated import gpu as simulated_gpu
from emv.backends.simulated.races import RaceError
from emv.codegen.state import PLACES
from emv.errors import ArgumentError, BackendUnavailableError, CapacityError, DeviceError
from emv.runtime.arrays import plan
from emv.runtime.drive import driver
from emv.runtime.targets.grids import GridDivision

PLACES_TO_RUN = ("cuda:0,1", "cuda:0,0", "cuda:0,1,2/hash")


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> list[SimulatedDriver]:
    found = [SimulatedDriver(ordinal=k) for k in range(3)]
    for each in found:
        install(each, monkeypatch)
    return found


@contextlib.contextmanager
def changed(one: str, other: str) -> Iterator[None]:
    """Let kernels that meet run with another text for a while."""
    simulate = simulated_gpu.simulate_parts

    def run(source, parts, **order):
        assert one in source.text
        simulate(dataclasses.replace(source, text=source.text.replace(one, other)), parts, **order)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated_gpu, "simulate_parts", run)
        yield


def drawn(seed: int = 1, n: int = 24, m: int = 80, **more) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), num_vertices=n, **more)


@pytest.mark.parametrize("place", PLACES_TO_RUN)
def test_pulled_float_sums_are_those_of_one_gpu_to_the_bit(place):
    g = drawn(directed=False)
    one = spread.run(g.on("cuda:0"))
    found = spread.run(g.on(place))
    assert found.backend == place
    assert found.supersteps == one.supersteps
    for mine, wanted in zip(found.result, one.result, strict=True):
        assert np.array_equal(mine, wanted)


@pytest.mark.parametrize("place", PLACES_TO_RUN)
@pytest.mark.parametrize("directed", [True, False])
def test_who_is_active_is_so_in_all_parts(place, directed, drivers):
    g = drawn(3, directed=directed)
    for each in drivers:
        each.options["seed"], each.options["stops"] = 7, 0.05
    assert np.array_equal(bfs(g.on(place), 0), bfs(g.on("python"), 0))
    assert np.array_equal(labels(g.on(place)), labels(g.on("python")))


@pytest.mark.parametrize("place", ["cuda:0,1", "cuda:0,1,2/hash"])
def test_one_block_of_each_part_works_alone_and_all_work_again(place, drivers):
    """A long path into a dense graph and out of it: few are active, then many, then few."""
    rng, ahead, many = np.random.default_rng(2), np.arange(6), 40
    src = np.concatenate([ahead, 6 + rng.integers(0, many, 900), 45 + ahead])
    dst = np.concatenate([ahead + 1, 6 + rng.integers(0, many, 900), 46 + ahead])
    g = Graph.from_edges(src, dst, directed=False, weight=rng.random(len(src)))
    for each in drivers:
        each.options["seed"], each.options["stops"] = 3, 0.05
    assert "; on one block while few are active" in bfs.explain(g.on(place), 0)
    assert np.array_equal(bfs(g.on(place), 0), bfs(g.on("python"), 0))
    found = emv.algorithms.sssp(g.on(place), 0)
    assert np.array_equal(found, emv.algorithms.sssp(g.on("python"), 0))


def test_who_works_alone_and_leaves_lets_the_others_go():
    path = Graph.from_edges(np.arange(9), np.arange(1, 10))
    place = path.on("cuda", gpus=2)
    leaves = "        if state[{SUPERSTEPS}] == 3 and state[{PART}] == 1:\n"
    leaves += "            release_some(state, blocks, generation, 0)\n            return\n"
    head = "        if running != 1:\n            break\n"
    said = "part 1, on cuda:1, did not come to the meeting behind look_ahead_min_settle"
    with changed(head, head + leaves.format(**PLACES)), pytest.raises(DeviceError, match=said):
        bfs(place, 0)
    assert bfs(place, 0).tolist() == list(range(10))


@pytest.mark.paper("S105")
def test_what_only_the_last_part_finds_keeps_all_running():
    path = Graph.from_edges(np.arange(9), np.arange(1, 10))
    found = bfs.run(path.on("cuda", gpus="all", exchange="peer"), 0)
    assert found.result.tolist() == list(range(10))
    assert (found.stopped, found.supersteps) == ("converged", 10)


@pytest.mark.parametrize("place", ["cuda:0,1/ranges/peer", "cuda:0,1,2/hash/peer"])
def test_shortcuts_stay_with_the_owners_of_receivers(place):
    g = drawn(5, n=12, m=20, directed=False, weight=np.arange(20.0))
    told = emv.algorithms.bfs.explain(g.on(place), 0)
    assert "first message claims depth" in told
    assert "which meet behind each call" in told
    for found in (emv.algorithms.sssp, emv.algorithms.components):
        args = (0,) if found is emv.algorithms.sssp else ()
        assert np.array_equal(found(g.on(place), *args), found(g.on("python"), *args))
    sources = [*range(12)] * 3  # so many that claims go by bits
    searched = np.stack([bfs(g.on("python"), source) for source in sources])
    assert np.array_equal(bfs.batch(g.on(place), sources), searched)


def test_weights_of_one_part_decide_for_all_how_a_loop_relaxes():
    place = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]).on("cuda", gpus=2, exchange="peer")
    lengths = np.array([1.0, 1.0, -1.0, 5.0])
    assert emv.algorithms.sssp(place, 0, weight=lengths).tolist() == [0.0, 1.0, 2.0, 1.0]


def test_budgets_that_end_are_the_same_in_all_parts(monkeypatch):
    monkeypatch.setattr(driver, "FIRST_BUDGET", 2)
    monkeypatch.setattr(driver, "next_budget", lambda budget, seconds: 2)
    heard = []
    path = Graph.from_edges(np.arange(6), np.arange(1, 7))
    place = path.on("cuda", gpus=2)
    bfs.run(place, 0, callback=lambda steps, info: heard.append(steps))
    assert heard == [2, 4, 6, 7]
    called_off = bfs.run(place, 0, callback=lambda steps, info: steps == 4)
    assert (called_off.stopped, called_off.supersteps) == ("callback", 4)


@pytest.mark.paper("S100")
@pytest.mark.parametrize("place", PLACES_TO_RUN)
def test_receivers_make_the_next_messages_and_hand_them_on(place):
    g = drawn().on(place)
    text = spread.source(g)
    folds = text[text.index("def warm_sum_take_2_pull(") : text.index("def meet_2")]
    assert "peer1_next_message2_0[next_place] = " in folds
    assert "owned" not in folds  # which the bits of the readers tell
    assert "peer1_v_heat" not in text
    assert text.count(" meet_") == 2  # a function, and its call
    rows = drawn(2, n=12, m=9).on(place)  # so few arcs that no part puts its receivers in order
    for made in (spread, spread_on):
        assert np.array_equal(made(rows)[0], made(rows.on("python"))[0])


@pytest.mark.paper("S100")
def test_without_the_meeting_behind_what_reads_messages_parts_race(drivers):
    for each in drivers:
        each.options["seed"], each.options["stops"] = 7, 0.05
    met = "            meet_2(lane, "
    with changed(met, "            (lane, "), pytest.raises(RaceError, match="message2_0"):
        spread(drawn().on("cuda", gpus=2))


@edge
def warm_with(e: Edge[Place], share: f64):
    e.send(share * e.src.heat / e.src.out_degree)


@program
def spread_with(g, share: float = 0.5, rounds: int = 3):
    for _ in g.supersteps(rounds):
        take(g.vertices, emv.sum(warm_with(g.vertices, share)))
    return g.vertices.heat


@pytest.mark.paper("S100")
def test_rows_are_handed_on_by_receivers_while_others_fold():
    place = drawn().on("cuda", gpus=2)
    text = spread_with.source(place)
    folds = text[text.index("def warm_with_sum_take_2_pull") : text.index("def meet_2")]
    assert "peer1_v_heat[v] = " in folds
    assert "owned" not in folds
    assert "_hand_on" not in text
    assert np.array_equal(spread_with(place), spread_with(drawn().on("cuda")))


@pytest.mark.paper("S100")
def test_without_the_meeting_behind_what_reads_replicas_parts_race():
    staged = "            meet_staged_2(lane, box, peer0_box, peer1_box, state)\n"
    with changed(staged, "            pass\n"), pytest.raises(RaceError, match=r"v_heat\["):
        spread_with(drawn().on("cuda", gpus=2))


def test_ranks_take_as_many_barriers_as_on_one_gpu():
    g = drawn(directed=False)
    one, two = (pagerank.source(g.on("cuda", gpus=number)) for number in (1, 2))
    loops = [text[text.rindex("while True:") :] for text in (one, two)]
    assert [loop.count("arrive(") + loop.count("cross(") for loop in loops] == [2, 2]
    place = g.on("cuda:0,1,2/hash/peer")
    assert np.allclose(pagerank(place), pagerank(g.on("python")), rtol=1e-5)


@vertex
def spoil(v: Place):
    v.heat = 2.0 * v.heat


@program
def spoiled(g, rounds: int = 3):
    spoil(g.vertices)
    for _ in g.supersteps(rounds):
        take(g.vertices, emv.sum(warm(g.vertices)))
        spoil(g.vertices)
    return g.vertices.heat


def test_vertices_hand_on_their_rows_behind_a_meeting_that_waits():
    g = drawn(7)
    for place in ("cuda:0,1", "cuda:0,1,2/hash"):
        text = spoiled.source(g.on(place))
        assert text.count("_hand_on(") == 2  # before the loop, where no meeting waits
        assert "            meet_staged_" in text
        assert np.array_equal(spoiled(g.on(place)), spoiled(g.on("cuda")))


@edge
def warm_by(e: Edge[Place]):
    e.send(e.src.heat / (1 + e.dst.id))


@program
def spread_by(g, rounds: int = 3):
    for _ in g.supersteps(rounds):
        take(g.vertices, emv.sum(warm_by(g.vertices)))
    return g.vertices.heat


def test_rows_that_are_read_while_others_fold_are_handed_on_behind_that():
    g = drawn(6)
    place = g.on("cuda", gpus=2)
    text = spread_by.source(place)
    assert "_hand_on" in text
    assert "meet_staged" not in text
    assert np.array_equal(spread_by(place), spread_by(g.on("cuda")))


def test_whom_others_have_activated_must_be_there_before_anybody_goes_on():
    path = Graph.from_edges(np.arange(9), np.arange(1, 10))
    waits = "        said_0, came = heard(box, theirs, number, until)\n"
    looks = "        while box[theirs + 1] < number:\n            pass\n"
    looks += "        said_0 = box[theirs]\n"  # and acquires nothing
    with changed(waits, looks), pytest.raises(RaceError, match="nothing orders"):
        bfs(path.on("cuda", gpus=2), 0)


def test_a_claim_takes_one_meeting_a_superstep_and_stores_bits_alone_to_others():
    path = Graph.from_edges(np.arange(9), np.arange(1, 10))
    text = bfs.source(path.on("cuda", gpus=2), 0)
    loop = text[text.index("    while True:\n        running") :]
    assert (loop.count("meet_"), loop.count("_tell"), loop.count("_tell_bits")) == (1, 1, 1)
    behind = text[text.index("def meet_3") : text.index("def look_ahead_min_settle_3_clear")]
    assert "v_depth" not in behind  # what those hold who are activated the claim itself knows


def test_a_relaxation_takes_one_meeting_a_round_and_reads_what_is_told_meanwhile():
    g = drawn(5, n=20, m=90, directed=False, weight=np.arange(90.0))
    place, wanted = g.on("cuda", gpus=2), emv.algorithms.sssp(g.on("python"), 0)
    text = emv.algorithms.sssp.source(place, 0)
    loop = text[text.index("            if state[RUNNING_2] == 1:") :]
    assert (loop.count("relax_3_meet_"), loop.count("relax_3_tell_")) == (2, 2)  # round and split
    assert np.array_equal(emv.algorithms.sssp(place, 0), wanted)
    plain = changed("early(v_dist, src)", "v_dist[src]")
    with plain, pytest.raises(RaceError, match=r"v_dist\["):
        emv.algorithms.sssp(place, 0)
    assert np.array_equal(emv.algorithms.sssp(place, 0), wanted)


def test_links_wake_before_kernels_meet(drivers):
    place = drawn().on("cuda", gpus=2)
    spread(place)
    for one, other in ((0, 1), (1, 0)):
        touched, nbytes = DEVICES[other].touched
        calls = [each[0] for each in drivers[one].calls if each[1:2] == (touched,)]
        assert nbytes > 0
        assert calls.count("copy") == 1


def test_stores_far_away_are_run_by_all_parts_alike():
    g = drawn(4, n=15)
    for place in ("cuda:0,1/ranges/peer", "cuda:0,1,2/hash/peer"):
        assert np.array_equal(marked(g.on(place), 4, 15), marked(g.on("python"), 4, 15))


def test_a_part_that_leaves_is_an_error_and_the_next_run_is_right():
    g = drawn()
    place, wanted = g.on("cuda", gpus=2), spread(g.on("cuda"))
    spread(place)
    used = [DEVICES[k].pool.used_bytes for k in range(2)]
    leaves = "        if state[{SUPERSTEPS}] == 2 and state[{PART}] == 1:\n            return\n"
    said = r"part 1, on cuda:1, did not come to the meeting behind warm_sum_take in superstep 2"
    with changed(STOP, STOP + leaves.format(**PLACES)), pytest.raises(DeviceError, match=said):
        spread(place)
    assert [DEVICES[k].pool.used_bytes for k in range(2)] == used
    for mine, one in zip(spread(place), wanted, strict=True):
        assert np.array_equal(mine, one)


STOP = "        if running != 1:\n            break\n"


def test_a_launch_that_is_to_end_does_so_behind_one_superstep_of_all_parts(monkeypatch):
    g, launched = drawn(), []
    run_all = GridDivision.run_all
    monkeypatch.setattr(GridDivision, "run_all", lambda run: (launched.append(1), run_all(run))[1])
    asks = "        if me == 0 and state[{SUPERSTEPS}] == 2 and state[{PART}] == 1:\n"
    asks += "            state[{GOES_ON}] = 0\n"
    with changed(STOP, STOP + asks.format(**PLACES)):
        found = spread.run(g.on("cuda", gpus=2))
    assert (found.supersteps, len(launched)) == (4, 2)
    assert np.array_equal(found.result[0], spread(g.on("cuda"))[0])


@pytest.mark.parametrize("exchange", ["peer", "host"])
@pytest.mark.parametrize(("method", "error"), [("is_done", KeyboardInterrupt), ("launch", OSError)])
def test_what_is_raised_beside_a_kernel_ends_all_parts_and_the_next_run_is_right(
    exchange, method, error, drivers
):
    g = drawn()
    place, wanted = g.on("cuda", gpus=2, exchange=exchange), spread(g.on("cuda"))
    spread(place)
    used = [DEVICES[k].pool.used_bytes for k in range(2)]

    def raises(*given, **named):
        raise error

    for one in drivers[:2]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(one, method, raises)
            with pytest.raises(error):
                spread(place)
    assert [DEVICES[k].pool.used_bytes for k in range(2)] == used
    for mine, one in zip(spread(place), wanted, strict=True):
        assert np.array_equal(mine, one)


@vertex
def look(v: Place, last: int):
    v.mass = Place.at(v.id + (100 if v.id == last else 0)).heat


@program
def looked(g, last: int):
    for _ in g.supersteps(3):
        look(g.vertices, last)
    return g.vertices.mass


@pytest.mark.parametrize("exchange", ["peer", "host"])
def test_what_one_part_finds_wrong_is_told(exchange):
    place = drawn().on("cuda", gpus=2, exchange=exchange)
    with pytest.raises(ArgumentError, match="element 123 was asked for"):
        looked(place, 23)
    assert np.array_equal(looked(place, -1), np.ones(24))


def test_an_allocation_that_fails_on_the_second_gpu_gives_back_what_the_first_has(drivers):
    g = drawn(2, n=200, m=900)
    place, used = g.on("cuda", gpus=2), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "check_capacity", lambda plan: None)
        patch.setattr(drivers[1], "total", drivers[1].allocated_bytes)
        for _ in range(2):
            with pytest.raises(CapacityError):
                spread(place, 1)
            used.append(DEVICES[0].pool.used_bytes)
    assert used[0] == used[1]  # what is left is the graph's
    assert np.array_equal(spread(place, 1)[0], spread(g.on("python"), 1)[0])


def test_who_cannot_meet_says_why_and_peer_refuses():
    g, color = drawn(directed=False), emv.algorithms.greedy_color
    said = color.explain(g.on("cuda", gpus=2))
    assert "exchange by the host, launch by launch: it sweeps" in said
    with pytest.raises(ArgumentError, match=r"does not run with exchange='peer': it sweeps"):
        color(g.on("cuda", gpus=2, exchange="peer"))
    assert "which meet behind each call" in spread.explain(g.on("cuda", gpus=2))


def test_gpus_that_do_not_reach_each_other_leave_it_to_the_host(monkeypatch):
    monkeypatch.setattr(SimulatedDriver, "reaches", lambda one, ordinal: False)
    g = drawn()
    with pytest.raises(BackendUnavailableError, match="do not reach each other's memory"):
        spread(g.on("cuda", gpus=2, exchange="peer"))
    for found, wanted in zip(spread(g.on("cuda", gpus=2)), spread(g.on("cuda")), strict=True):
        assert np.array_equal(found, wanted)
