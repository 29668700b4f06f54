"""Profiles from records made by hand: tables, numbers, pictures."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from scheduled import compiled

from emv import Graph
from emv.algorithms import bfs, pagerank
from emv.codegen.cuda import tracing
from emv.errors import ArgumentError, BackendUnavailableError
from emv.ir import schedule as s
from emv.runtime.profile.profile import BETWEEN, Record, make_profile
from emv.runtime.profile.recording import fastest, labels_of, records_of
from emv.runtime.profile.traffic import Seen, Traffic
from emv.shown.profile import Profile

RING = Graph.from_edges([*range(100)], [*range(1, 100), 0], num_vertices=100)
SCHEDULE = compiled(bfs, 0).schedule
SEED, SPREAD = s.launches_in(SCHEDULE.body)


def profile_of(records: list[Record], **about: object) -> Profile:
    facts = {"program": "bfs", "backend": "cuda:0", "graph": str(RING), **about}
    return make_profile(records, Traffic(SCHEDULE, RING, {}), 1e9, **facts)


def step_records(number: int, active: int = 1, pulling: bool = False) -> list[Record]:
    seen = Seen(active, 2 * active, 0, pulling)
    words = ("enter", "look", "leave") if pulling else ("claim",)
    return [
        Record("launch 3 spread", word, SPREAD, 1e-6, number, seen, active < 3) for word in words
    ]


def records(num_supersteps: int = 3) -> list[Record]:
    found = [
        Record(BETWEEN, "", None, 2e-6, 0, Seen()),
        Record("launch 1 seed", "map", SEED, 1e-6, 0, Seen()),
    ]
    for number in range(1, num_supersteps + 1):
        found += step_records(number, active=number, pulling=number == 2)
    return found


def test_tables_read(golden):
    assert golden == f"{profile_of(records(), tick_s=32e-9, lost=5)}\n"


def test_many_supersteps_are_shown_in_ranges(golden):
    assert golden == f"{profile_of(records(1000))}\n"


def test_a_superstep_counts_a_launch_once_whatever_its_phases():
    profile = profile_of(records())
    spread = next(each for each in profile.launches if each.name == "launch 3 spread")
    assert spread.calls == 3
    assert spread.seconds == pytest.approx(5e-6)
    assert [(each.name, each.calls) for each in spread.phases] == [
        ("claim", 2),
        ("enter", 1),
        ("look", 1),
        ("leave", 1),
    ]
    assert [each.how for each in profile.supersteps] == ["", "push", "pull", "push"]
    assert [each.frontier for each in profile.supersteps] == [1, 1, 2, 3]
    assert [each.edges for each in profile.supersteps] == [0, 2, 100, 6]
    assert [each.one_block for each in profile.supersteps] == [False, True, True, False]


def test_sums_agree():
    profile = profile_of(records())
    assert profile.seconds == pytest.approx(sum(each.seconds for each in profile.supersteps))
    assert profile.bytes_moved == sum(each.bytes_moved for each in profile.supersteps)
    last = profile.supersteps[-1]
    assert last.share == pytest.approx(last.bytes_moved / last.seconds / 1e9)
    assert sum(last.launches.values()) == pytest.approx(last.seconds)


def test_the_longest_launch_comes_first():
    assert profile_of(records()).launches[0].name == "launch 3 spread"


def test_json_holds_it():
    profile = profile_of(records())
    fields = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert fields["program"] == "bfs"
    assert fields["seconds"] == pytest.approx(profile.seconds)
    assert fields["supersteps"] == profile.rows()
    assert [each["number"] for each in profile.rows()] == [0, 1, 2, 3]


def test_nothing_ran():
    profile = profile_of([])
    assert (profile.seconds, profile.rows()) == (0, [])
    assert "0 supersteps, 0.000 ms" in str(profile)
    assert repr(profile) == "Profile(bfs on cuda:0: 0 supersteps, 0.000 ms)"


# Records of a GPU.


def trace(*rows: tuple[int, ...]) -> np.ndarray:
    return np.array([[*row, *[0] * (len(tracing.FIELDS) - len(row))] for row in rows], np.int64)


def test_records_last_since_the_one_before():
    labels = [labels_of(each, SCHEDULE) for each in ("", f"{SPREAD.name}_3_claim")]
    rows = trace(
        (tracing.START, 1000), (1, 1500, 4, 9, 20, 0, 1, 1), (0, 1600, 4), (1, 1550, 5, 3, 8)
    )
    first, second, third = records_of(rows, labels)
    assert (first.launch, first.phase) == (f"launch 3 {SPREAD.name}", "claim")
    assert first.step is SPREAD
    assert first.seconds == pytest.approx(5e-7)
    assert (first.superstep, first.seen, first.one_block) == (4, Seen(9, 20, 0, True), True)
    assert (second.launch, second.step) == (BETWEEN, None)
    assert third.seconds == 0.0  # a clock that goes back


def test_phases_without_a_barrier_between_share_the_time_of_the_last():
    launches = s.launches_in(compiled(pagerank).schedule.body)
    names = " ".join(f"{each.name}_{each.number}_x" for each in launches)
    labels = labels_of(names, compiled(pagerank).schedule)
    assert [each[0] for each in labels] == [f"launch {e.number} {e.name}" for e in launches]
    assert labels[0][1] == f"x (with {labels[-1][0]})"
    found = list(records_of(trace((tracing.START, 0), (0, 700)), [labels]))
    assert [each.seconds for each in found] == [0.0] * (len(found) - 1) + [7e-7]


def test_every_work_function_is_told_apart():
    schedule = compiled(pagerank).schedule
    fill = next(step for step in schedule.body if isinstance(step, s.FillColumn))
    name, _, step = labels_of("fill_rank_2", schedule)[0]
    assert (name, step) == ("fill vertices.rank", fill)
    assert labels_of("relax_3_round", SCHEDULE)[0][:2] == (f"launch 3 {SPREAD.name}", "round")
    assert labels_of("no such function", SCHEDULE)[0][0] == BETWEEN


# Bandwidth and pictures.


def test_bandwidth_counts_what_is_read_and_written():
    times = iter([9.0, 0.5, 0.25, 0.5, 0.5, 0.5])  # the first does not count
    assert fastest(lambda: next(times), 1000) == 8000


@pytest.mark.parametrize("steps", [0, 1, 3, 1000])
def test_plot_is_saved(tmp_path, steps):
    pytest.importorskip("matplotlib")
    profile = profile_of(records(steps) if steps else [])
    figure = profile.plot(tmp_path / "profile.png")
    assert (tmp_path / "profile.png").read_bytes()[:4] == b"\x89PNG"
    assert len(figure.axes) == 2


def test_plot_that_cannot_be_saved(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ArgumentError, match="cannot be saved"):
        profile_of(records()).plot(tmp_path / "no folder" / "profile.png")
    with pytest.raises(ArgumentError, match=r"profile\.nothing"):
        profile_of(records()).plot(tmp_path / "profile.nothing")


def test_plot_without_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BackendUnavailableError) as caught:
        profile_of(records()).plot()
    assert "emv-graph[viz]" in str(caught.value.remedy)
