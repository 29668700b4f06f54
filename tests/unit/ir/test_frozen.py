"""What stages hand to each other is compared and shown as Python's own frozen dataclasses are."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from emv.ir import frozen

WAYS = {"own": dataclasses.dataclass, "quick": frozen.dataclass}


@pytest.fixture(params=WAYS)
def classes(request):
    """Return a class, one that adds fields to it, and one without any."""
    dataclass = WAYS[request.param]

    @dataclass(frozen=True)
    class One:
        name: str
        parts: tuple[Any, ...] = ()
        place: int = dataclasses.field(default=0, compare=False)

    @dataclass(frozen=True)
    class More(One):
        note: str = dataclasses.field(default="", kw_only=True, repr=False)

    @dataclass(frozen=True)
    class Nothing:
        def __repr__(self):
            return "nothing"

    return One, More, Nothing


def test_instances_are_equal_as_their_fields_are(classes):
    one, more, nothing = classes
    assert one("a", (1,)) == one("a", (1,), place=3)
    assert hash(one("a", (1,))) == hash(one("a", (1,), place=3))
    assert one("a") != one("b")
    assert one("a") != more("a")
    assert more("a", note="x") != more("a", note="y")
    assert len({more("a", note="x"), more("a", note="x"), more("a")}) == 2
    assert nothing() == nothing()
    assert nothing() != one("a")


def test_instances_are_shown_by_their_fields(classes):
    one, more, nothing = classes
    where = one.__qualname__.removesuffix("One")
    assert repr(one("a")) == f"{where}One(name='a', parts=(), place=0)"
    assert repr(more("a", note="x")) == f"{where}More(name='a', parts=(), place=0)"
    assert repr(nothing()) == "nothing"


def test_instances_are_replaced_and_matched(classes):
    one, more, _ = classes
    changed = dataclasses.replace(more("a", (2,), note="x"), name="b")
    assert changed == more("b", (2,), note="x")
    match one("a", (1,), 2):
        case one(name, parts, place):
            assert (name, parts, place) == ("a", (1,), 2)
    assert [each.name for each in dataclasses.fields(more)] == ["name", "parts", "place", "note"]
