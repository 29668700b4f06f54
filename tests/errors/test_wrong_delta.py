"""A delta that is no step."""

import pytest

import emv
from emv.errors import ArgumentError


def test_a_delta_of_0():
    with pytest.raises(ArgumentError) as raised:
        emv.near_far(delta=0)
    assert 'delta= is "auto" or a number above 0, not 0' in str(raised.value)
    assert "math.inf makes everything near" in str(raised.value)


def test_a_misspelt_delta():
    with pytest.raises(ArgumentError) as raised:
        emv.near_far(delta="atuo")
    assert "not 'atuo'. Did you mean 'auto'?" in str(raised.value)
