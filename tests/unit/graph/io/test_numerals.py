"""inf, -inf and nan by one rule in every format, and no numeral that becomes one of them."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import emv
from emv.errors import ColumnError, GraphError, GraphFormatError
from emv.graph import Graph

UNUSUAL = [np.inf, -np.inf, np.nan, 0.1, 5e-324, 1.7976931348623157e308]
HOLD = ("a.tsv", "a.csv", "a.wel", "a.tsv.gz", "a.mtx", "a.ncol", "a.npz", "a.parquet", "a.emv")
HEADS = {
    "a.txt": "0 1 {}\n1 2 2\n",
    "a.csv": "0,1,{}\n1,2,2\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 {}\n2 3 2\n",
    "a.ncol": "ann bob {}\nbob cy 2\n",
    "a.gr": "p sp 3 2\na 1 2 {}\na 2 3 2\n",
    "a.graph": "3 2 1\n2 {0}\n1 {0} 3 2\n2 2\n",
    "a.e": "0 1 {}\n1 2 2\n",
}
FINITE = ("a.gr", "a.graph", "a.e")


def file_of(folder: Path, name: str, number: str) -> Path:
    (folder / "a.v").write_text("0\n1\n2\n")
    (folder / name).write_text(HEADS[name].format(number))
    return folder / name


@pytest.mark.parametrize("name", HOLD)
def test_formats_of_decimals_hold_all_of_them(tmp_path: Path, name: str) -> None:
    ring = np.arange(6)
    g = Graph.from_edges(ring, (ring + 1) % 6, weight=UNUSUAL)
    emv.write(g, tmp_path / name)
    back = emv.read(tmp_path / name)
    assert np.array_equal(back.edges.weight, UNUSUAL, equal_nan=True)


@pytest.mark.parametrize("name", [*FINITE, "a.wsg"])
@pytest.mark.parametrize("weight", UNUSUAL[:3])
def test_formats_of_finite_numbers_hold_none(tmp_path: Path, name: str, weight: float) -> None:
    g = Graph.from_edges([0, 1], [1, 2], weight=[weight, 1.0], directed=name != "a.graph")
    with pytest.raises((GraphError, ColumnError), match="weight"):
        emv.write(g, tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400 + ".0", "1d400"])
def test_what_float64_does_not_hold_is_refused_and_not_infinite(tmp_path, name, number) -> None:
    with pytest.raises(GraphFormatError, match="does not fit float64") as caught:
        emv.read(file_of(tmp_path, name, number))
    assert caught.value.line == 1 + HEADS[name].split("{")[0].count("\n")


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("number", ["inf", "-Inf", "INFINITY", "nan", "-NaN"])
def test_the_words_mean_the_same_everywhere(tmp_path, name, number, caplog) -> None:
    path = file_of(tmp_path, name, number)
    if name in FINITE:
        with pytest.raises(GraphFormatError, match="is not finite"):
            emv.read(path)
        return
    with caplog.at_level(logging.WARNING, "emv"):
        weight = emv.read(path).edges.weight
    assert np.array_equal(weight, [float(number), 2], equal_nan=True)
    is_told = any("'weight' of edges holds nan" in each for each in caplog.messages)
    assert is_told == (number[-1].lower() == "n" and "a" in number.lower())


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("number", ["1e-999", "-0.0", "1D2", ".5", "5.", "+7"])
def test_what_float64_rounds_is_read(tmp_path, name, number) -> None:
    weight = emv.read(file_of(tmp_path, name, number)).edges.weight
    expected = float(number.lower().replace("d", "e"))
    assert weight[0] == expected
    assert np.signbit(weight[0]) == np.signbit(expected)
