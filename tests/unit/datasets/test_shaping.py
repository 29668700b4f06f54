"""Tools of the stand-ins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from emv.datasets import shaping
from emv.generators.draws import words


def random_ends(n, count, seed):
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(0, n, (2, count)))


def test_cliques_are_all_pairs_of_each_group():
    sizes = np.array([4, 1, 0, 7, 2])
    group, low, high = shaping.cliques(sizes)
    found = sorted(zip(group.tolist(), low.tolist(), high.tolist(), strict=True))
    wanted = [
        (g, *pair) for g, s in enumerate(sizes) for pair in itertools.combinations(range(s), 2)
    ]
    assert found == sorted(wanted)
    big = shaping.cliques(np.array([400]))
    assert np.array_equal(big[2], np.repeat(np.arange(400), np.arange(400)))


def test_simple_is_the_set_of_pairs():
    src, dst = random_ends(10, 200, 1)
    wanted = {
        (min(p), max(p)) for p in zip(src.tolist(), dst.tolist(), strict=True) if p[0] != p[1]
    }
    low, high = shaping.simple(10, (src, dst))
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == sorted(wanted)


def test_counts_and_largest_degree_are_exact():
    n = 300
    ends = shaping.simple(n, random_ends(n, 3000, 2))
    src, dst = shaping.with_counts(n, ends, 2000, 120, seed=5)
    assert len(src) == len(dst) == 2000
    assert np.bincount(np.concatenate([src, dst])).max() == 120
    assert len(shaping.simple(n, (src, dst))[0]) == 2000


def test_edges_that_are_kept_stay():
    ends = np.arange(1000), np.arange(1000) + 1
    kept = np.arange(1000) % 10 == 0
    src, _ = shaping.thinned(ends, 150, 1, kept)
    assert set(src) >= set(range(0, 1000, 10))
    assert (len(src), (np.diff(src) > 0).all()) == (150, True)
    assert shaping.thinned(ends, 5000, 1) is ends


@pytest.mark.parametrize("total", [700, 2000, 9000])
def test_degrees_by_rank_add_up(total):
    degrees = shaping.ranked_degrees(100, total, 500, 1.0, 5.0)
    assert (degrees.sum(), degrees.max()) == (total, 500)
    assert degrees.min() >= 1
    assert degrees.argmax() == 0


def test_sizes_add_up_and_follow_the_power():
    sizes = shaping.sizes_by_power(200_000, 4, 60, 2.5, seed=3)
    assert sizes.sum() == 200_000
    assert (sizes[:-1].min(), sizes.max()) == (4, 60)
    expected = np.arange(4, 61) ** -2.5 / (np.arange(4, 61) ** -2.5).sum()
    found = np.bincount(sizes[:-1], minlength=61)[4:]
    assert stats.chisquare(found, expected * (len(sizes) - 1)).pvalue > 1e-3


def test_spread_out_is_a_permutation():
    for n in (1, 2, 7, 64, 1000):
        assert sorted(shaping.spread_out(np.arange(n), n).tolist()) == list(range(n))


def test_draws_are_below_their_bounds():
    found = shaping.drawn(4, "members", 1000, 2, 10)
    assert set(found.tolist()) == set(range(10))
    assert np.array_equal(
        found, (words(4, "members", 1000, 2) >> np.uint64(32)) * np.uint64(10) >> np.uint64(32)
    )
