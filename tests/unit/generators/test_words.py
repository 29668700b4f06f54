"""The draws of generators: known values, and tests of chance."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_call import compiled_call
from scipy import stats

from emv.generators.draws import STREAMS, below, happens, key_of, words


def splitmix64(state):
    """Steele, Lea and Flood's generator in Python's whole numbers, as Vigna published it."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def test_words_are_those_of_splitmix64():
    from emv_kernels.cpu.generate import place, word

    numbers = splitmix64(0)
    # The first outputs of splitmix64.c (Vigna, 2015) for the seed 0.
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [next(numbers) for _ in range(3)] == expected
    assert [int(compiled_call(word, np.uint64(0), np.uint64(k))) for k in (1, 2, 3)] == expected
    starts = splitmix64(77)
    assert [int(compiled_call(place, 77, k)) for k in range(1, 5)] == [
        next(starts) for _ in range(4)
    ]


def test_fields_of_words_are_uniform():
    """The fields that R-MAT takes of a word: 24 bits (here the upper 8) and four of ten bits."""
    for number in (1, 2, 20):
        bits = words(3, "edges", 200_000, number)
        for shift, width in ((56, 8), (40, 8), (0, 10), (10, 10), (20, 10), (30, 10)):
            field = (bits >> np.uint64(shift)) & np.uint64(2**width - 1)
            found = np.bincount(field.astype(int), minlength=2**width)
            assert stats.chisquare(found).pvalue > 1e-4


@pytest.mark.parametrize("shift", [0, 10, 40, 56])
def test_draws_of_neighbours_levels_and_seeds_are_independent(shift):
    def field(seed, number, first=0):
        bits = words(seed, "edges", 100_001, number)[first : first + 100_000]
        return ((bits >> np.uint64(shift)) & np.uint64(31)).astype(int)

    here = field(0, 1)
    for other in (field(0, 1, 1), field(0, 2), field(1, 1), field(2, 1)):
        found = np.bincount(32 * here + other, minlength=1024)
        assert stats.chisquare(found).pvalue > 1e-4


def test_each_bit_of_the_index_flips_half_of_the_word():
    bits = words(5, "edges", 1 << 13)
    for bit in range(13):
        changed = bits ^ bits[np.arange(1 << 13) ^ (1 << bit)]
        flipped = np.unpackbits(changed.view(np.uint8)).reshape(-1, 64).mean(axis=0)
        assert np.abs(flipped - 0.5).max() < 0.03


def test_streams_and_seeds_have_keys_of_their_own():
    keys = {key_of(seed, stream) for seed in range(1000) for stream in STREAMS}
    assert len(keys) == 1000 * len(STREAMS)
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_below_is_the_upper_half_of_a_product():
    bits = words(8, "ids", 1000)
    for bound in (1, 2, 1000, 2**32 - 1):
        assert below(bits, bound).tolist() == [int(each) * bound >> 64 for each in bits]
    bounds = np.arange(1, 1001)
    assert below(bits, bounds).tolist() == [
        int(each) * int(bound) >> 64 for each, bound in zip(bits, bounds, strict=True)
    ]


def test_chances_are_kept():
    bits = words(8, "kept", 100_000)
    assert happens(bits, 0.25).mean() == pytest.approx(0.25, abs=0.006)
    assert (
        happens(bits, np.repeat([0.0, 1.0], 50_000)).tolist() == [False] * 50_000 + [True] * 50_000
    )
