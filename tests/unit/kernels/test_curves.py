"""Hilbert's curve goes through every cell, and always to a neighbour."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from emv_kernels.curves import curve_functions

in_plane, in_space = curve_functions(lambda function: function)


@pytest.mark.parametrize(
    ("place", "dim", "bits"),
    [(in_plane, 2, 1), (in_plane, 2, 4), (in_space, 3, 1), (in_space, 3, 3)],
)
def test_the_curve_visits_every_cell_once_and_never_leaps(place, dim, bits):
    cells = np.array(list(itertools.product(range(1 << bits), repeat=dim)))
    places = np.array([place(*map(int, cell), bits) for cell in cells])
    order = np.argsort(places)
    np.testing.assert_array_equal(places[order], np.arange(len(cells)))
    np.testing.assert_array_equal(np.abs(np.diff(cells[order], axis=0)).sum(axis=1), 1)
