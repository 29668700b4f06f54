"""Times of batches of changes, small."""

from bench import changes


def test_batches_are_timed():
    rows = list(changes.changes(scale=6, batches=(20,), rounds=1))
    assert [row["kind"] for row in rows] == ["directed", "undirected"]
    assert all(row[name] > 0 for row in rows for name in ("add_ms", "remove_ms", "scipy_ms"))
