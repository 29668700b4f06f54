"""Folds of what functions return, in kernels for GPUs: of values as rows hold them."""

import numpy as np
from backends.test_folded_results import graph_of, small_program

from emv import i8


def test_results_are_folded_as_rows_hold_them(gpu):
    g, rows, of_rows, of_links = graph_of(np.linspace(-128, 127, 41).astype(np.int8))
    kept, *folds = small_program(i8)(g.on("cuda"))
    np.testing.assert_array_equal(np.asarray(kept), rows)
    assert folds == [of_rows, of_rows, of_links]
