"""What the GPU figures conclude, and that every cell has a target and a peer."""

import json

import pytest

from bench import gpu_figures
from bench.gpu_rows import HEADER, NOTE_WIDTH, Row, header, table, totals


def test_every_cell_has_a_target_and_a_peer():
    for graph in gpu_figures.GRAPHS:
        for algorithm in gpu_figures.ALGORITHMS:
            assert gpu_figures.target_ms(algorithm, graph) > 0
            assert gpu_figures.peer(algorithm, graph)[0] > 0


def test_ratios_follow_from_the_medians():
    row = Row("bfs", "road", [12.0, 10.0, 30.0], [12.5, 12.4], baselines_ms={"a": 24.0, "b": 8.0})
    report = row.report()
    assert report["median_ms"] == 12.0
    assert report["ratio_to_target"] == pytest.approx(12 / 15)
    assert (report["peer"], report["ratio_to_peer"]) == ("Gunrock", pytest.approx(12 / 354))
    assert (report["baseline_ms"], report["ratio_to_baseline"]) == (8.0, 1.5)
    assert report["call_met"]
    assert "met" in row.line()
    json.dumps(report)


def test_a_call_may_take_a_little_longer_than_its_target():
    assert Row("bfs", "road", [1.0], [15.2]).report()["call_met"] is True
    assert Row("bfs", "road", [1.0], [15.4]).report()["call_met"] is False
    ranks = Row("pagerank", "rmat20", [0.1], [2.8], iterations=20)
    assert ranks.report()["call_met"] is True


def test_a_missed_target_and_a_wrong_result_are_seen():
    line = Row("bfs", "road", [16.0], fault="3 arcs lead further").line()
    assert "MISSED" in line
    assert "WRONG: 3 arcs" in line


def test_a_row_that_failed_says_why():
    row = Row("sssp", "kron22", error="MemoryError: no")
    assert row.report()["median_ms"] is None
    assert row.line().endswith("MemoryError: no")


def test_the_table_fits_a_terminal_and_ends_with_the_other_lines():
    text = table([Row("boruvka", "huge8m", [12345.0], [23456.0])], ["copy 4.3 TB/s"])
    assert text.splitlines()[1] == HEADER
    assert text.endswith("copy 4.3 TB/s")
    assert max(map(len, text.splitlines())) < 170


def test_every_wrong_method_by_hand_gets_one_short_line():
    faults = {"merrill": ["1 blocks: 7 arcs lead further", "2 blocks: 9"], "pull": ["x" * 200]}
    row = Row("bfs", "road", note="not the peers' graph", baseline_faults=faults)
    notes = row.notes()
    assert notes[0] == "road bfs: not the peers' graph"
    assert notes[1] == "road bfs: merrill WRONG (1 more), 1 blocks: 7 arcs lead further"
    assert len(notes) == 3
    assert max(map(len, notes)) == NOTE_WIDTH
    assert row.report()["baseline_faults"] == faults


def test_totals_count_what_is_met_and_average_the_ratios():
    rows = [
        Row("bfs", "road", [354 / 4], [1.0], baselines_ms={"a": 354 / 4}),
        Row("bfs", "rmat20", [0.485], [1.0], fault="wrong"),
        Row("sssp", "road", error="MemoryError: no"),
    ]
    assert totals(rows) == (
        "targets met: 1 of 3; calls in time: 1; wrong or failed: 2; "
        "geometric mean: 0.25 (of 2) of the best peer, 1.00 (of 1) of by hand"
    )
    assert "geometric mean: - of the best peer" in totals([])


def test_the_json_begins_with_the_gpu_and_the_software():
    machine = {"gpu": "H200", "driver": "580", "versions": {"numba": "0.68"}, "commit": "abc"}
    found = header(machine)
    assert {key: found[key] for key in machine} == machine
    assert found["machine"] == machine
