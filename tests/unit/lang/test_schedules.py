"""The words of a schedule, and what a call asks for."""

import dataclasses
import math

import numpy as np
import pytest

import emv
from emv.errors import ArgumentError
from emv.lang.schedules import NOTHING_ASKED, Asked, asked_of


@pytest.mark.parametrize("delta", [1, 0.5, 5e-324, math.inf, np.float32(2), np.int64(3), np.inf])
def test_a_step_above_0_is_a_delta(delta):
    made = emv.near_far(delta)
    assert isinstance(made.delta, float)
    assert made.delta == delta


@pytest.mark.parametrize(
    "delta", [0, -1, -0.0, math.nan, -math.inf, True, None, "8", [1.0], 10**400, 1j]
)
def test_anything_else_is_none(delta):
    with pytest.raises(ArgumentError, match=r'delta= is "auto" or a number above 0'):
        emv.near_far(delta)


def test_storages_have_names_and_hybrid_a_width():
    assert str(emv.layout("hybrid", width=np.int64(8))) == "layout('hybrid', width=8)"
    assert emv.layout("caa").tag == "caa"
    assert emv.layout("hybrid", 0).tag == "hybrid0"
    with pytest.raises(ArgumentError, match=r"no storage 'cca'.*Did you mean 'caa'"):
        emv.layout("cca")
    with pytest.raises(ArgumentError, match="width= is for 'hybrid', not for 'ell'"):
        emv.layout("ell", width=3)
    for width in (-1, 1025, 2.0, True, "8"):
        with pytest.raises(ArgumentError, match="a whole number from 0 to 1024"):
            emv.layout("hybrid", width=width)


def test_buffers_have_names():
    assert str(emv.buffer("slots")) == "buffer('slots')"
    with pytest.raises(ArgumentError, match=r"no buffer 'slot'.*Did you mean 'slots'"):
        emv.buffer("slot")
    with pytest.raises(ArgumentError, match="there is no buffer 3"):
        emv.buffer(3)
    keys = {asked_of("made", emv.buffer(name)).key for name in ("slots", "lists", "fused")}
    assert len(keys) == 3


def test_words_are_values():
    assert emv.near_far() == emv.near_far("auto")
    assert emv.near_far(2) == emv.near_far(2.0) != emv.near_far(3)
    assert emv.by_superstep() == emv.by_superstep() != emv.near_far()
    assert len({emv.near_far(2), emv.near_far(2.0), emv.by_superstep()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        emv.near_far().delta = 3.0


def test_words_show_how_they_are_written():
    shown = list(map(str, (emv.near_far(), emv.near_far(2), emv.near_far(math.inf))))
    assert shown == ['near_far(delta="auto")', "near_far(delta=2)", "near_far(delta=inf)"]
    assert str(emv.by_superstep()) == "by_superstep()"


def test_what_is_asked_of_a_launch():
    assert not NOTHING_ASKED
    assert asked_of("made", None) is NOTHING_ASKED
    assert not asked_of("made", {})
    whole = asked_of("made", emv.by_superstep())
    assert whole == Asked(emv.by_superstep())
    assert whole.words(["any"]) == [emv.by_superstep()]
    named = asked_of("made", {"send": emv.near_far(4), "other": emv.by_superstep()})
    assert named.words(["send", "receive"]) == [emv.near_far(4)]
    assert named.words(["receive"]) == []
    assert named.delta == 4.0
    assert whole.delta == NOTHING_ASKED.delta == "auto"


def test_the_key_holds_what_changes_kernels():
    nothing, near = NOTHING_ASKED, emv.near_far
    for given in (near(), near(4), {"send": near()}, {"send": near(4), "other": near(4)}):
        assert asked_of("made", given).key == nothing.key
    plain = emv.by_superstep()
    keys = {asked_of("made", each).key for each in (None, plain, {"a": plain}, {"b": plain})}
    assert len(keys) == 4
    both = {"a": plain, "b": plain}, {"b": plain, "a": plain}
    assert len({asked_of("made", each).key for each in both}) == 1


@pytest.mark.parametrize("given", ["near_far", 4, emv.near_far, [emv.near_far()], {"f": 4}])
def test_what_is_no_word_is_refused(given):
    with pytest.raises(ArgumentError, match="schedule= is a word of a schedule, or a dict"):
        asked_of("made", given)


def test_one_program_has_one_delta():
    with pytest.raises(ArgumentError, match=r"near_far\(delta=4\) and near_far\(delta=5\)"):
        asked_of("made", {"f": emv.near_far(4), "g": emv.near_far(5)})
