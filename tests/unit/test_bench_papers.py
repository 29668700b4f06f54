"""The papers' experiments, on tiny graphs: rows stand beside what the papers say."""

import numpy as np
import pytest

from bench import suite_graphs
from bench.papers import TABLE_5, TABLE_7, Setting, mean_teps, searches
from bench.timing import HostClock


def tiny(**changes):
    return Setting("python", HostClock(), sources=3, tiny=True, **changes)


@pytest.mark.paper("S153", "S154", "S156", "S159")
def test_searches_from_random_sources_stand_beside_the_papers(monkeypatch):
    monkeypatch.setattr(suite_graphs, "TINY_SCALE", 5e-5)
    rows = list(searches(tiny(graphs=("kkt-power",))))
    assert [row["row"] for row in rows] == ["S154", "S156"]
    assert all(rows[0][way] > 0 for way in ("Q", "N", "emv"))
    assert "480.7" in rows[0]["paper"]
    assert "hybrid 1.1" in rows[0]["paper"]
    assert "3 to 3 sources" in rows[0]["note"]


@pytest.mark.paper("S155")
def test_the_means_of_table_5_are_those_told_and_not_the_printed_one():
    ratios = np.array([medusa / basic for basic, _, medusa in TABLE_5.values()])
    assert ratios.mean().round(2) == 5.34
    assert np.exp(np.log(ratios).mean()).round(2) == 2.76
    assert all(hybrid > medusa for medusa, _, hybrid in TABLE_7.values())


def test_rates_are_means_over_sources_and_fewer_where_one_takes_long():
    rate, count = mean_teps(lambda source: 0.5, list(range(101)), [10] * 101, budget=5.0)
    assert (rate, count) == (20.0, 10)
