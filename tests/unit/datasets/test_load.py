"""The papers' graphs: real if the file is there, else one like it that says so."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib

import numpy as np
import pytest

from emv import datasets
from emv.config import config
from emv.datasets.catalogue import CATALOGUE, File
from emv.errors import ArgumentError, GraphFormatError

ROWS = "# a comment\n0 1\n1 2\n2 0\n2 3\n"


@pytest.fixture
def folder(tmp_path):
    with config.using(data=tmp_path):
        yield tmp_path


@pytest.fixture
def small_wiki(monkeypatch):
    """Let the published file be one of four edges."""
    file = File("wiki-Talk.txt.gz", "https://example.org/wiki", 4, 4)

    def set_file(**changes):
        files = (dataclasses.replace(file, **changes),)
        entry = dataclasses.replace(CATALOGUE["wiki-talk"], files=files)
        monkeypatch.setitem(CATALOGUE, "wiki-talk", entry)

    set_file()
    return set_file


def put(folder, text=ROWS):
    path = folder / "wiki-Talk.txt.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


def test_file_is_the_real_graph(folder, small_wiki):
    path = put(folder)
    found = datasets.load("wiki-talk")
    assert (found.kind, found.is_stand_in, found.file) == ("real", False, str(path))
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.about == "read from wiki-Talk.txt.gz, accepted by its counts"
    assert found.graph.edges.dst.tolist() == [1, 2, 0, 3]
    small_wiki(sha256=found.sha256)
    assert "checksum is the published one" in datasets.load("wiki-talk").about


def test_file_with_other_counts_is_refused(folder, small_wiki):
    put(folder, ROWS + "3 0\n")
    with pytest.raises(GraphFormatError, match=r"4 vertices and 5 arcs, but wiki-talk has 4 and 4"):
        datasets.load("wiki-talk")
    assert datasets.load("wiki-talk", scale=0.001).kind == "stand-in"
    assert datasets.load("wiki-talk", stand_in=True, scale=0.001).kind == "stand-in"


def test_file_with_another_checksum_is_refused(folder, small_wiki):
    put(folder)
    small_wiki(sha256="0" * 64)
    with pytest.raises(GraphFormatError, match=r"fetch it again from https://example.org/wiki"):
        datasets.load("wiki-talk")


def test_packed_and_unpacked_names(folder, small_wiki):
    small_wiki(name="wiki-Talk.txt")
    put(folder)
    assert datasets.load("wiki-talk").kind == "real"
    (folder / "wiki-Talk.txt.gz").unlink()
    (folder / "wiki-Talk.txt").write_text(ROWS)
    assert datasets.load("wiki-talk").kind == "real"


def test_error_says_where_a_file_is_to_be_had(folder):
    with pytest.raises(ArgumentError) as absent:
        datasets.load("hugebubbles-00020", stand_in=False)
    assert f"in {folder}; put there hugebubbles-00020.mtx from https://" in str(absent.value)
    with pytest.raises(ArgumentError, match="generated and is not published"):
        datasets.load("bip", stand_in=False)
    with pytest.raises(ArgumentError, match=r"of scale 0.5 is never the real graph"):
        datasets.load("wiki-talk", scale=0.5, stand_in=False)


def test_mistakes(folder):
    with pytest.raises(ArgumentError, match=r"no graph 'wiki'. Did you mean 'wiki-talk'"):
        datasets.load("wiki")
    for scale in (0, 1.5, True, "1"):
        with pytest.raises(ArgumentError, match="above 0 and at most 1"):
            datasets.load("rmat", scale=scale)


def test_every_file_says_where_it_is_from():
    for entry in CATALOGUE.values():
        assert entry.recipe or entry.files or entry.title.startswith("BIP")
        assert entry.make.__doc__
        for file in entry.files:
            assert file.url.startswith("https://")
            stem = file.name.removesuffix(".mtx")
            assert stem in file.url


@pytest.mark.parametrize("name", datasets.names())
def test_small_ones_are_of_the_size_and_always_the_same(name, folder):
    scale = 0.002 if CATALOGUE[name].size[0] > 10**6 else 0.01
    one, other = datasets.load(name, scale=scale), datasets.load(name, scale=scale)
    num_vertices, num_arcs, _ = CATALOGUE[name].size
    assert one.kind == ("generated" if name in ("rmat", "random") else "stand-in")
    assert one.graph.num_vertices == pytest.approx(max(64, num_vertices * scale), abs=1)
    assert one.graph.num_arcs == pytest.approx(num_arcs * scale, rel=0.2)
    for end in ("src", "dst"):
        assert np.array_equal(one.graph.edges[end], other.graph.edges[end])
    assert str(one).startswith(f"<{name}: {one.kind}, Graph(")


SMALL = ("email-enron", "g2-circuit", "mesh-deform")


@pytest.mark.parametrize("name", SMALL)
def test_stand_ins_have_the_counts(name, folder):
    graph = datasets.load(name).graph
    num_vertices, num_arcs, max_degree = CATALOGUE[name].size
    assert (graph.num_vertices, graph.num_arcs) == (num_vertices, num_arcs)
    assert max_degree in (0, graph.out_degrees().max())


def test_email_stand_in_has_the_spread_of_the_real_one(folder):
    """Measured on SNAP's file: deviation 36.1."""
    assert datasets.load("email-enron").graph.out_degrees().std() == pytest.approx(36.1, rel=0.05)


@pytest.mark.large
@pytest.mark.parametrize("name", ["wiki-talk", "roadnet-ca"])
def test_stand_ins_have_the_printed_figures(name, folder):
    found = datasets.load(name)
    is_road, printed = name == "roadnet-ca", found.printed
    stats = found.graph.stats(diameter=is_road)
    assert stats.out_degree.max == printed.max
    assert stats.out_degree.mean == pytest.approx(printed.mean, rel=0.02)
    assert stats.out_degree.deviation == pytest.approx(printed.deviation, rel=0.05)
    assert stats.num_arcs == CATALOGUE[name].size[1]
    if is_road:
        assert printed.diameter / 1.5 < stats.diameter < printed.diameter * 1.5


def test_coauthors_weigh_the_papers_they_wrote_together(folder):
    graph = datasets.load("dblp", scale=0.01).graph
    weight = graph.edges.weight
    assert weight.min() == 1
    assert weight.max() > 3
    assert graph.stats().repeats == 0


def test_sides_of_what_is_bipartite(folder):
    for name in ("bip", "mesh-deform"):
        graph = datasets.load(name, scale=0.01).graph
        side = graph.vertices.side
        assert not side[graph.edges.src].any()
        assert side[graph.edges.dst].all()


def test_table_has_the_printed_figures_below(folder):
    shown = datasets.table(["g2-circuit", "wiki-talk"], scale=0.01)
    lines = str(shown).splitlines()
    assert len(lines) == 6
    assert lines[2].startswith("| g2-circuit | stand-in | 1,501 | 5,766 |")
    assert lines[5] == "|  | printed | 2.4 M | 5.0 M | 100,022 | 2.1 | 99.9 | 9 | - |"
    row = shown.rows[1].as_json()
    assert (row["kind"], row["printed"]["max"]) == ("stand-in", 100_022)
    assert row["stats"]["num_vertices"] == shown.rows[1].stats.num_vertices
