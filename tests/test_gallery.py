"""docs/gallery.md has every algorithm, with the picture of what it returns now."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from emv import algorithms

DOCS = Path(__file__).resolve().parent.parent / "docs"
MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def gallery():
    sys.path.insert(0, str(DOCS))
    try:
        import build_gallery
    finally:
        sys.path.remove(str(DOCS))
    return build_gallery


def test_page_and_pictures_are_current(gallery):
    assert gallery.stale() == [], gallery.REMEDY


def test_every_algorithm_is_shown(gallery):
    shown = {entry.name: entry for entry in gallery.entries()}
    assert set(algorithms.ALGORITHMS) <= set(shown)
    assert all(entry.sentence for entry in shown.values())
    assert all("O(" in shown[name].cost for name in ("bfs", "pagerank", "sssp", "triangles"))
    assert sum(path.stat().st_size for path in gallery.PICTURES.glob("*.svg")) < MOST_BYTES


def test_a_new_page_appears_by_itself(gallery, monkeypatch):
    def nearest(g, source, target):
        """Return something.

        Returns
        -------
        int32[num_vertices]
            What.

        Notes
        -----
        In one go. O(1) work.
        """
        return np.arange(g.num_vertices) + source - target

    monkeypatch.setattr(algorithms, "__all__", ["nearest", "check_bfs", "WrongResultError"])
    monkeypatch.setattr(algorithms, "nearest", nearest, raising=False)
    assert list(gallery.pages()) == ["nearest"]
    (entry,) = gallery.entries.__wrapped__()
    assert (entry.sentence, entry.returns) == ("Return something.", "int32[num_vertices]")
    assert entry.cost == "O(1) work"
    assert entry.file == "tests/test_gallery.py"
    assert ">35<" in entry.svg


def test_what_cannot_be_drawn_has_no_picture(gallery):
    def of(result):
        return gallery.shown("page", gallery.karate(), result)

    assert of(np.zeros((3, 2))) == ""
    assert of(np.array([[0, 1, 2]])).count("M108 97L74 91") == 1
    assert of("text") == ""
    assert "result: 45" in of(45)
    assert 'stroke-width="2.5"' in of(np.arange(78.0))
    assert gallery.drawn("page", lambda g, unknown: None) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(7, "7"), (True, "✓"), (0.031, ".03"), (0.5, ".5"), (12.34, "12"), (np.inf, "∞"), (-1, "-1")],
)
def test_labels_are_short(gallery, value, text):
    import gallery_pictures

    assert gallery_pictures.text_of(value) == text
