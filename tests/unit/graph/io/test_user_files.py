"""Every line of docs/user_files.md reads its file as the page says, and as others count it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import networkx as nx
import pandas as pd
import pytest
from graph_files import DATA, EXPECTED, ROOT

import emv

PAGE = ROOT / "docs" / "user_files.md"
ROW = re.compile(r"\| (.*) \| `(emv\.read\(.*\))` \| (.*) \|")
MADE = DATA / "users"


def rows() -> Iterator[Any]:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if found := ROW.fullmatch(line):
            yield pytest.param(found[2], found[3], id=found[1])


def test_there_are_more_than_forty() -> None:
    files = {re.findall(r'read\("([^"]*)"', row.values[0])[0] for row in rows()}
    assert len(files) == len(list(rows())) >= 40


@pytest.mark.parametrize(("line", "gives"), rows())
def test_a_file_is_read_by_one_line(monkeypatch, line: str, gives: str) -> None:
    monkeypatch.chdir(DATA)
    g = eval(line, {"emv": emv})
    assert str(g) == f"Graph({gives})"
    name = re.findall(r'read\("([^"]*)"', line)[0]
    expected = EXPECTED.get(name)
    if expected is not None:  # what the files' collectors count
        assert g.num_vertices == expected["vertices"]
        assert g.num_edges in (expected["entries"], expected["edges"], expected["edges"] - 3)


def ends_of(g: emv.Graph) -> list[tuple[Any, Any]]:
    labels = g.labels.tolist()
    return [(labels[src], labels[dst]) for src, dst in zip(g.edges.src, g.edges.dst, strict=True)]


@pytest.mark.parametrize(
    ("name", "ends", "options"),
    [
        ("flights.csv", ("from", "to"), {}),
        ("calls.tsv", ("caller", "callee"), {"sep": "\t"}),
        ("pandas_index.csv", ("src", "dst"), {}),
        ("r_write.csv", ("from", "to"), {}),
        ("r_table.txt", ("from", "to"), {"sep": " "}),
        ("packed.csv.gz", ("u", "v"), {}),
        ("rail.csv", ("von", "nach"), {"sep": ";", "decimal": ","}),
    ],
)
def test_edges_are_those_that_pandas_reads(name: str, ends: tuple[str, str], options: Any) -> None:
    frame = pd.read_csv(MADE / name, **options)
    g = emv.read(MADE / name)
    assert ends_of(g) == list(zip(*(frame[end] for end in ends), strict=True))
    numbers = frame.select_dtypes("number").drop(columns=list(ends), errors="ignore")
    for column in g.edges:
        if column in numbers:
            assert g.edges[column].tolist() == numbers[column].tolist()


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_florentine_families_are_networkxs(ending: str) -> None:
    G = nx.florentine_families_graph()
    pairs = ends_of(emv.read(MADE / f"florentine.{ending}"))
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in G.edges}
