"""Sets of bits: folded by bitwise or, counted, and computed with in 64 bits without a sign."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest
from backends.plain_graphs import busy, heard, many

import emv
from emv import Edge, Vertex, edge, i64, program, u8, u64, vertex
from emv.errors import LanguageError, TypeMismatchError

WORDS = {
    u8: [1, 2, 129, 16, 64],
    u64: [2**63, 5, 2**64 - 2, 2, 1],
}


def united(values):
    return functools.reduce(operator.or_, values, 0)


def folding(kind):
    class Spot(Vertex):
        bits: kind
        started: bool = False

    @edge
    def tell(e: Edge[Spot]):
        e.send(e.src.bits)

    @edge
    def tell_both(e: Edge[Spot]):
        e.send((e.src.bits, e.src.bits))

    @vertex
    def begin(v: Spot):
        v.activate()

    @program
    def fold(g):
        begin(g.only([0, 3]))
        some = emv.bitwise_or(tell(g.active))
        return emv.bitwise_or(tell(g)), some, emv.bitwise_or(tell_both(g), initial=(0, 1))

    return fold


@pytest.mark.parametrize("kind", list(WORDS))
def test_bits_of_messages_are_united(kind, backend):
    g, words = busy(), WORDS[kind]
    g.vertices.bits = np.array(words, kind)
    all_told, some_told, (first, second) = folding(kind)(g, backend=backend)
    assert all_told.dtype == some_told.dtype == first.dtype == np.dtype(kind)
    inbox = heard(g, words)
    assert all_told.tolist() == first.tolist() == [united(each) for each in inbox]
    assert second.tolist() == [united([*each, 1]) for each in inbox]
    quiet = heard(g, [word if v in (0, 3) else 0 for v, word in enumerate(words)])
    assert some_told.tolist() == [united(each) for each in quiet]


class Word(Vertex):
    signed: i64
    bits: u64
    byte: u8
    other: u64
    counts: i64 = 0
    size: i64 = 0
    rest: u64 = 0
    lowest: u64 = 0
    moved: u64 = 0
    raised: u64 = 0


@vertex
def compute(v: Word, shift: int):
    v.counts = v.bits.bit_count() * 1000 + v.byte.bit_count()
    v.size = v.signed.bit_count()
    news = v.bits & ~v.other
    v.rest = news
    v.lowest = news & (~news + 1)
    v.moved = (v.bits >> shift) ^ (v.other << 1)
    v.raised |= 1 << shift


@program
def computing(g, shift=63):
    compute(g, shift)


def test_words_have_64_bits_and_no_sign(backend):
    signed = [0, 1, -1, -8, 2**62, -(2**63), 2**63 - 1]
    bits = [0, 1, 2**64 - 1, 2**63, 12345678901234567890, 2**32, 7]
    other = [2**64 - 1, 0, 2**63, 1, 2**64 - 2, 3, 2**63 + 5]
    byte = [0, 255, 128, 7, 1, 2, 3]
    g = many(
        signed=np.array(signed, np.int64),
        bits=np.array(bits, np.uint64),
        other=np.array(other, np.uint64),
        byte=np.array(byte, np.uint8),
    )
    found = computing.run(g, backend=backend).vertices
    pairs = list(zip(bits, other, strict=True))
    wanted = [x.bit_count() * 1000 + y.bit_count() for x, y in zip(bits, byte, strict=True)]
    assert found.counts.tolist() == wanted
    assert found.size.tolist() == [each.bit_count() for each in signed]
    news = [x & ~y for x, y in pairs]
    assert found.rest.tolist() == news
    assert found.lowest.tolist() == [x & -x for x in news]
    assert found.moved.tolist() == [(x >> 63) ^ (y << 1 & 2**64 - 1) for x, y in pairs]
    assert found.raised.tolist() == [2**63] * 7


def test_a_fraction_has_no_bits_to_count():
    @vertex
    def halve(v: Word):
        v.size = (v.signed / 2).bit_count()

    @program
    def wrong(g):
        halve(g)

    with pytest.raises(LanguageError, match="counts the bits of a whole number, not of float"):
        wrong(many(signed=[1]), backend="python")


def test_fractions_are_not_united():
    @edge
    def tell(e: Edge[Word]):
        e.send(e.src.signed / 2)

    @program
    def wrong(g):
        return emv.bitwise_or(tell(g))

    for backend in ("python", "cpu"):
        with pytest.raises(TypeMismatchError, match="folds integers and truth values, not f64"):
            wrong(many(signed=[1]), backend=backend)
