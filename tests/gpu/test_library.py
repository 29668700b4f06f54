"""Every algorithm of the library on a GPU, of random, crowded and long graphs: what cores find."""

from __future__ import annotations

import functools
import warnings

import pytest

import emv
from tests.stress import sanitize, sanitize_library

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")

NAMES = sorted({*sanitize.PROGRAMS, *sanitize_library.PROGRAMS} - {"generated", "built", "stored"})
graphs = functools.cache(sanitize.graphs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_results_are_those_of_cores(name: str, share: float):
    run = {**sanitize.PROGRAMS, **sanitize_library.PROGRAMS}[name]
    for kind, graph in graphs(share).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few rounds are asked for
            found, wanted = run(graph, "cuda"), run(graph, "cpu")
        assert sanitize.same(found, wanted), kind
