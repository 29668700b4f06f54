"""Repeated edges become one: against a dictionary of lists, and scipy's sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from emv.config import config
from emv.errors import ArgumentError, ColumnError
from emv.graph import build
from emv.graph.simple import simple_edges

FOLDS = {"first": lambda values: values[0], "min": min, "sum": sum}


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    """Share a few edges out, too, where there are several threads."""
    monkeypatch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)


def by_dictionary(src, dst, directed, values, how):
    groups: dict[tuple[int, int], list[float]] = {}
    for low, high, value in zip(src.tolist(), dst.tolist(), values.tolist(), strict=True):
        if not directed:
            low, high = min(low, high), max(low, high)
        groups.setdefault((low, high), []).append(value)
    return [(*pair, FOLDS[how](groups[pair])) for pair in sorted(groups)]


@pytest.mark.parametrize("first_compiled", [0, 2**18])
@pytest.mark.parametrize("how", FOLDS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("num_vertices", "count"), [(1, 5), (7, 400), (90, 90), (5, 0), (0, 0)])
def test_like_a_dictionary(monkeypatch, num_vertices, count, directed, how, first_compiled):
    monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
    rng = np.random.default_rng(count)
    src, dst = rng.integers(0, max(1, num_vertices), (2, count)).astype(np.int32)
    weight = rng.integers(-9, 9, count).astype(np.float32)
    age = rng.integers(0, 9, count).astype(np.int16)
    columns = {"weight": weight, "age": age}
    found = simple_edges(src, dst, num_vertices, directed, columns, how)
    ends = found[0].tolist(), found[1].tolist()
    for name, values in columns.items():
        expected = by_dictionary(src, dst, directed, values, how)
        assert list(zip(*ends, found[2][name].tolist(), strict=True)) == expected
    assert found[0].dtype == found[1].dtype == np.int32
    assert found[2]["weight"].dtype == np.float32
    assert found[2]["age"].dtype == (np.int64 if how == "sum" else np.int16)


def test_many_edges_as_scipy_adds_them_up():
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 900, (2, 2**18 + 77))
    weight = rng.integers(0, 100, len(src)).astype(np.float64)
    matrix = scipy.sparse.coo_array((weight, (src, dst)), shape=(900, 900)).tocsr()
    matrix.sum_duplicates()
    low, high, columns = simple_edges(src, dst, 900, True, {"weight": weight}, "sum")
    np.testing.assert_array_equal(low, np.repeat(np.arange(900), np.diff(matrix.indptr)))
    np.testing.assert_array_equal(high, matrix.indices)
    np.testing.assert_array_equal(columns["weight"], matrix.data)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("num_vertices", "count"), [(3, 900), (40, 3000), (3000, 2000)])
def test_sums_are_added_in_the_order_of_edges(monkeypatch, num_vertices, count, dtype):
    rng = np.random.default_rng(num_vertices)
    src, dst = rng.integers(0, num_vertices, (2, count))
    columns = {"weight": (rng.random(count) * 10.0 ** rng.integers(-3, 4, count)).astype(dtype)}
    totals: dict[tuple[int, int], np.floating] = {}
    for low, high, value in zip(src.tolist(), dst.tolist(), columns["weight"], strict=True):
        totals[low, high] = totals[low, high] + value if (low, high) in totals else value
    for first_compiled, threads in ((2**18, 1), (0, 1), (0, 2), (0, 5)):
        monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
        with config.using(num_threads=threads):
            low, high, made = simple_edges(src, dst, num_vertices, True, columns, "sum")
        assert list(zip(low.tolist(), high.tolist(), strict=True)) == sorted(totals)
        assert made["weight"].tolist() == [totals[each].item() for each in sorted(totals)]


def test_ends_and_numbers_that_do_not_fit_one_word(monkeypatch):
    monkeypatch.setattr(build, "FIRST_COMPILED", 2**18)
    src, dst = np.array([2**31 - 1, 5, 2**31 - 1, 5]), np.array([0, 2**31 - 1, 0, 7])
    found = simple_edges(src, dst, 2**31, True, {"w": np.arange(4)}, "sum")
    assert [each.tolist() for each in (*found[:2], found[2]["w"])] == [
        [5, 5, 2**31 - 1],
        [7, 2**31 - 1, 0],
        [3, 1, 2],
    ]


@pytest.mark.parametrize("first_compiled", [0, 2**18])
def test_nan_is_the_least(monkeypatch, first_compiled):
    monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
    weight = np.array([1.0, np.nan, 0.5, 3.0])
    ends = np.array([0, 0, 0, 1])
    assert np.isnan(simple_edges(ends, ends, 2, True, {"w": weight}, "min")[2]["w"]).tolist() == [
        True,
        False,
    ]


@pytest.mark.parametrize("first_compiled", [0, 2**18])
@pytest.mark.parametrize(
    "weights",
    [
        [2**63 - 1, 1],
        [2**62, 2**62],
        [-(2**63), -1],
        [-(2**62)] * 3,
        np.array([2**64 - 1, 1], np.uint64),
        np.array([2**63, 2**63], np.uint64),
        np.array([2**31 - 1] * 2, np.int32),
        [2**63 - 2, 1],
        [2**63 - 1, 1, -1],
        [-(2**63), 2**63 - 1],
        [-(2**62), -(2**62)],
        np.array([2**64 - 2, 1], np.uint64),
        np.array([2**63, 2**63 - 1], np.uint64),
    ],
)
def test_a_sum_fits_or_is_refused(monkeypatch, first_compiled, weights):
    monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
    weights = np.concatenate([np.asarray(weights)[:1] * 0 + 5, np.asarray(weights)])
    src = np.array([0] + [1] * (len(weights) - 1))
    dst = np.full(len(weights), 2)
    total = sum(weights.tolist()[1:])
    bounds = np.iinfo(np.uint64 if weights.dtype.kind == "u" else np.int64)
    if bounds.min <= total <= bounds.max:
        found = simple_edges(src, dst, 3, True, {"w": weights}, "sum")[2]["w"]
        assert found.tolist() == [5, total]
    else:
        with pytest.raises(ColumnError, match="column 'w' over the edges from 1 to 2 does not fit"):
            simple_edges(src, dst, 3, True, {"w": weights}, "sum")


def test_what_cannot_be_folded():
    ends = np.array([0, 1])
    with pytest.raises(ArgumentError, match=r"not by 'mim'\. Did you mean 'min'"):
        simple_edges(ends, ends, 2, True, {}, "mim")
    with pytest.raises(ColumnError, match="truth values"):
        simple_edges(ends, ends, 2, True, {"on": np.array([True, False])}, "sum")
