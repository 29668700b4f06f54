"""Draws: the known answers of Philox4x32-10, ranges, and that all that names a draw matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv.lang.draws import below, bits, call_code, philox, uniform

words = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [  # kat_vectors of Random123
        ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_known_answers(counter, key, answer):
    read = [tuple(int(word, 16) for word in text.split()) for text in (counter, key, answer)]
    assert philox(read[0], read[1]) == read[2]


def test_bits_are_the_first_two_words():
    assert bits(0, 0, 0, 0) == 0xE169C58D6627E8D5
    counter, key = (0x85A308D3, 0x243F6A88, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
    first, second, *_ = philox(counter, key)
    element, seed = 0x243F6A8885A308D3, 0x299F31D0A4093822
    assert bits(seed, 0x13198A2E, element, 0x03707344) == first | second << 32


@given(words, words, words, words, st.integers(1, 2**31))
def test_ranges(seed, superstep, element, code, bound):
    assert 0 <= uniform(seed, superstep, element, code) < 1
    assert 0 <= below(bound, seed, superstep, element, code) < bound


def test_every_part_of_the_name_matters():
    base = (1, 2, 3, call_code("f", 0))
    others = [(9, *base[1:]), (1, 9, *base[2:]), (1, 2, 9, base[3]), (1, 2, 3, call_code("f", 1))]
    others.append((1, 2, 3, call_code("g", 0)))
    drawn = {bits(*each) for each in (base, *others)}
    assert len(drawn) == 6


def test_means_are_even():
    code = call_code("roll", 0)
    drawn = [uniform(7, 0, element, code) for element in range(2000)]
    assert abs(sum(drawn) / 2000 - 0.5) < 0.03
    assert 300 < sum(below(6, 7, 0, element, code) == 0 for element in range(2000)) < 370
