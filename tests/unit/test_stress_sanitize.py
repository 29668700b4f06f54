"""The programs for compute-sanitizer: right on the CPU, and told when they are not."""

import numpy as np
import pytest

from tests.stress import sanitize


def test_all_programs_run_and_are_right(capsys):
    given = ["--device", "python", "--against", "python", "--share", "0.01"]
    assert sanitize.main(given) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 * len(sanitize.PROGRAMS) + 1
    assert lines[-1] == f"sanitized runs: {3 * len(sanitize.PROGRAMS)}, wrong: 0"


def test_a_wrong_result_is_told(monkeypatch, capsys):
    monkeypatch.setitem(
        sanitize.PROGRAMS, "bfs", lambda graph, backend: np.array([backend == "cpu"])
    )
    assert sanitize.main(["--device", "python", "--share", "0.01", "--only", "bfs"]) == 1
    assert capsys.readouterr().out.endswith("sanitized runs: 3, wrong: 3\n")


@pytest.mark.parametrize(
    ("found", "wanted", "agree"),
    [
        (np.float32([1, np.inf]), np.float32([1 + 1e-7, np.inf]), True),
        (np.float32([1]), np.float32([1.1]), False),
        (np.int32([1]), np.int64([1]), False),
        ((np.int32([1]), np.int32([2])), (np.int32([1]), np.int32([3])), False),
    ],
)
def test_results_are_compared_by_value_and_dtype(found, wanted, agree):
    assert sanitize.same(found, wanted) is agree


def test_the_star_has_a_hub_of_several_pieces():
    star = sanitize.graphs()["star"]
    assert len(star.layouts.pull.piece_vertex) > 2
