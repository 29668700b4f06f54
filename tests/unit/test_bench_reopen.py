"""The script that times reopening: its figures are those of the graph it says."""

from __future__ import annotations

from bench import reopen


def test_a_small_graph_is_written_reopened_and_checked(tmp_path) -> None:
    figures = reopen.measure(4096, 1, tmp_path)
    assert figures.num_arcs == 4096
    assert figures.folder_bytes > 4096 * (2 + 1 + 6) * 4  # ends, weight, index arrays
    assert 0 < figures.reopen_s < 10
    assert not list(tmp_path.iterdir())
    assert "ms" in figures.line()
