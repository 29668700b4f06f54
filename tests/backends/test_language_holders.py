"""Numbers that functions read off a dataclass, a class, a namespace or an enumeration."""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import NamedTuple

import numpy as np
import pytest
from backends.plain_graphs import path

from emv import Vertex, f32, f64, i32, program, u64, vertex
from emv.errors import LanguageError


@dataclasses.dataclass
class Options:
    gain: float = 0.5
    rounds: int = 2


class Kind(enum.IntEnum):
    ROAD = 1
    RAIL = 2


class Limits:
    most = 2**64 - 1
    share = np.float32(0.25)


class Corner(NamedTuple):
    x: int = 3


OPTIONS = Options()
NAMES = types.SimpleNamespace(seven=7)
ONE = Kind.RAIL
CORNER = Corner()


class Spot(Vertex):
    x: f32 = 0.0
    kind: i32 = 0
    bits: u64 = 0


def scaled(a) -> f64:
    return a * OPTIONS.gain + Limits.share


@vertex
def read(v: Spot, kind: int):
    v.x = scaled(v.id) if kind == Kind.ROAD else OPTIONS.gain
    v.kind = Kind.RAIL if v.id % 2 else Kind.ROAD
    v.kind += NAMES.seven * ONE + CORNER.x
    v.bits = Limits.most if v.id else 1


@program
def reads(g, kind):
    for _ in g.supersteps(OPTIONS.rounds):
        read(g, kind)
    return g.vertices.x, g.vertices.kind, g.vertices.bits


def test_numbers_are_read_and_looked_at_again(backend, monkeypatch):
    xs, kinds, bits = reads(path(3), Kind.ROAD, backend=backend)
    assert xs.tolist() == [0.25, 0.75, 1.25]
    assert kinds.tolist() == [18, 19, 18]
    assert bits.tolist() == [1, 2**64 - 1, 2**64 - 1]
    monkeypatch.setattr(OPTIONS, "gain", 2.0)
    assert reads(path(3), Kind.ROAD, backend=backend)[0].tolist() == [0.25, 2.25, 4.25]
    assert reads(path(3), 2, backend=backend)[0].tolist() == [2, 2, 2]


@vertex
def misspelled(v: Spot):
    v.x = OPTIONS.gian


@program
def mistaken(g):
    misspelled(g)


def test_what_it_does_not_hold(backend):
    with pytest.raises(LanguageError, match="Did you mean 'gain'"):
        mistaken(path(2), backend=backend)


@vertex
def chained(v: Spot):
    first = v.x = v.kind = v.id + 1
    v.bits = v.kind = first * 2


@program
def chains(g):
    chained(g)
    return g.vertices.x, g.vertices.kind, g.vertices.bits


def test_one_value_for_several_names(backend):
    xs, kinds, bits = chains(path(2), backend=backend)
    assert (xs.tolist(), kinds.tolist(), bits.tolist()) == ([1, 2], [2, 4], [2, 4])
