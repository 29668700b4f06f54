"""``dblp.xml`` becomes the graph of who wrote with whom."""

from __future__ import annotations

import gzip
import html
import itertools
from collections import Counter
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import emv
from emv.errors import GraphFormatError
from emv.graph.io import packing

DATA = Path(__file__).resolve().parents[3] / "data" / "dblp"
PAPERS = "article inproceedings incollection book phdthesis mastersthesis".split()


def by_element_tree(content):
    """Return the papers of every author and of every two, by another parser, all in memory."""
    text = content.decode("ascii").replace('encoding="ISO-8859-1"', "").replace("&amp;", "")
    root = ElementTree.fromstring(html.unescape(text))
    papers = [
        {" ".join("".join(each.itertext()).split()) for each in record.findall("author")}
        for record in root
        if record.tag in PAPERS
    ]
    pairs = Counter(frozenset(pair) for each in papers for pair in itertools.combinations(each, 2))
    return Counter(itertools.chain.from_iterable(papers)), pairs


def found_in(g):
    names = g.labels.tolist()
    papers = dict(zip(names, g.vertices.papers.tolist(), strict=True))
    src, dst = g.edges.endpoints()
    weights = g.edges.weight.tolist()
    pairs = {
        frozenset((names[one], names[other])): weight
        for one, other, weight in zip(src.tolist(), dst.tolist(), weights, strict=True)
    }
    assert len(pairs) == g.num_edges
    return papers, pairs


@pytest.mark.paper("S78")
@pytest.mark.parametrize("name", ["small.xml", "sample.xml.gz"])
def test_like_a_tree_in_memory(name):
    content = (DATA / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    g = emv.read(DATA / name)
    assert not g.directed
    assert found_in(g) == by_element_tree(content)


def test_names_that_blocks_cut(monkeypatch):
    whole = emv.read(DATA / "small.xml")
    assert "Jürgen Böhm" in whole.labels
    monkeypatch.setattr(packing.read_blocks, "__defaults__", (7, b""))
    cut = emv.read(BytesIO((DATA / "small.xml").read_bytes()), format="dblp")
    assert found_in(cut) == found_in(whole)


def test_as_arcs_and_without_papers():
    arcs = emv.read(DATA / "small.xml", directed=True)
    assert (arcs.directed, arcs.num_edges) == (True, 8)
    nothing = emv.read(BytesIO(b"<dblp><www><author>A</author></www></dblp>"))
    assert (nothing.num_vertices, nothing.num_edges) == (0, 0)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<dblp><article><author>A</author>", "no whole dblp.xml"),
        (b"<dblp><article></author></article></dblp>", "mismatched tag"),
        (
            b'<!DOCTYPE dblp [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><dblp>&b;</dblp>',
            "declares the entity 'a'",
        ),
        (b'<?xml version="1.0" encoding="ISG-8859-1"?><dblp></dblp>', "unknown encoding"),
        (b'<?xml version="1.0" encoding="shift_jis"?><dblp></dblp>', "an encoding that is not"),
    ],
)
def test_what_is_damaged_is_refused(content, says):
    with pytest.raises(GraphFormatError, match=says):
        emv.read(BytesIO(content), format="dblp")


def test_the_stand_in_is_the_same_for_a_seed(tmp_path):
    from coauthors import write

    texts = []
    for seed in (3, 3, 4):
        write(file := BytesIO(), 50, seed)
        texts.append(file.getvalue())
    assert texts[0] == texts[1] != texts[2]
    g = emv.read(BytesIO(texts[0]))
    assert found_in(g) == by_element_tree(texts[0])
    assert np.max(g.vertices.papers) > 3
