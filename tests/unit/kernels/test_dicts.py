"""Dicts whose values compiled code sets, beside those that Python sets."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from emv_kernels.cpu.dicts import set_values

KEYS = [7, "seven", (7, "x"), -1, 2.5, frozenset({1}), None, 2**70, True]
VALUES = [0.5, -3, "text", None, 1.0, True, 2**80, (1,), []]


@dataclass(eq=False)
class Key:
    """A key whose hash may be asked for until it is spoilt."""

    is_spoilt: bool = False

    def __hash__(self) -> int:
        if self.is_spoilt:
            raise LookupError("this key is spoilt")
        return 3  # that of all: they are told apart by what they are


def boxed(values: list[object]) -> np.ndarray:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def test_values_are_set_in_the_order_of_the_keys() -> None:
    found = dict.fromkeys(KEYS)
    set_values(found, boxed(VALUES), None)
    assert list(found.items()) == list(zip(KEYS, VALUES, strict=True))


def test_values_may_be_chosen_by_their_places() -> None:
    found = dict.fromkeys(range(1000), "before")
    which = np.random.default_rng(1).integers(0, len(VALUES), 2000)[::2]
    set_values(found, boxed(VALUES), which)
    assert found == {key: VALUES[place] for key, place in enumerate(which)}


def test_gaps_of_keys_that_went_are_passed_over() -> None:
    found = dict.fromkeys(range(10))
    for key in (0, 4, 5, 9):
        del found[key]
    set_values(found, boxed(list("abcdef")), None)
    assert found == {1: "a", 2: "b", 3: "c", 6: "d", 7: "e", 8: "f"}


def test_no_reference_is_lost_or_kept() -> None:
    value, before = object(), object()
    counts = sys.getrefcount(value), sys.getrefcount(before)
    found = dict.fromkeys(range(100), before)
    set_values(found, boxed([value]), np.zeros(100, np.int64))
    assert sys.getrefcount(value) == counts[0] + 100
    assert sys.getrefcount(before) == counts[1]
    del found
    assert (sys.getrefcount(value), sys.getrefcount(before)) == counts


def test_what_a_key_raises_is_raised() -> None:
    keys = [Key() for _ in range(5)]
    found = dict.fromkeys(keys)
    keys[2].is_spoilt = True
    with pytest.raises(LookupError, match="spoilt"):
        set_values(found, boxed(VALUES[:5]), None)
    assert list(found.values()) == [*VALUES[:2], None, None, None]


def test_nothing_is_set_where_numbers_differ() -> None:
    found = dict.fromkeys("ab", 0)
    with pytest.raises(ValueError, match="3 values for 2 keys"):
        set_values(found, boxed([1, 2, 3]), None)
    with pytest.raises(ValueError, match="1 values for 2 keys"):
        set_values(found, boxed([1, 2, 3]), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="places"):
        set_values(found, boxed([1, 2, 3]), np.array([0, 3]))
    assert found == {"a": 0, "b": 0}
    set_values({}, boxed([]), None)
