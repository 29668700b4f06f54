"""Every spelling is timed beside its page and ends in its values."""

import json

from bench import spellings

PROBLEMS = 2  # of each what is spelled, so that the test compiles few programs


def test_spellings_are_timed_and_right(monkeypatch, tmp_path, capsys):
    few = [
        (what, page, dict(list(spelled.items())[-PROBLEMS:]), more)
        for what, page, spelled, more in spellings.problems()
    ]
    monkeypatch.setattr(spellings, "problems", lambda: few)
    file = tmp_path / "spellings.json"
    given = ["--scale", "6", "--rounds", "1", "--most", "1e9", "--json", str(file)]
    assert spellings.main(given) == 0
    rows = json.loads(file.read_text())["rows"]
    assert [row["is_right"] for row in rows] == [True] * (2 * PROBLEMS + 1)
    assert all(row["median_ms"] > 0 and row["ratio"] > 0 for row in rows)
    assert capsys.readouterr().out.startswith(spellings.HEADER)


def test_a_spelling_is_slow_only_where_it_has_the_shortcut():
    row = spellings.Row("search", "mirrored", "claim", 12.0, 10.0, True)
    assert row.is_slow(1.15)
    assert not row.is_slow(1.25)
    assert not spellings.Row("search", "parents", "-", 50.0, 10.0, True).is_slow(1.15)
