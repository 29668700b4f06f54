"""Random programs that hand numbers on through loops within loops: every backend agrees."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from backends.plain_graphs import path
from interpreted_cpu import interpreted
from random_carries import Carries

NUM_PROGRAMS = 60
COMPILED = (3, 14)


def loaded(seed, folder):
    """Return the program of a seed; functions need a file, since they are read."""
    name = f"carries_{seed}"
    file = folder / f"{name}.py"
    file.write_text(Carries(seed).text())
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.main


def check(seed, folder, backend):
    made = loaded(seed, folder)
    wanted, run = (made.run(path(3), backend=each) for each in ("python", backend))
    said = f"seed {seed}:\n{Carries(seed).text()}"
    for one, other in zip(run.result, wanted.result, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=said)
    assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped), said


def test_text_for_cores(tmp_path):
    with interpreted() as kernels:
        for seed in range(NUM_PROGRAMS):
            check(seed, tmp_path, "cpu")
        assert kernels.ran > NUM_PROGRAMS


@pytest.mark.parametrize("seed", COMPILED)
def test_compiled(seed, tmp_path, compiled):
    check(seed, tmp_path, compiled)


def test_programs_read_what_loops_made_behind_them():
    texts = [Carries(seed).text() for seed in range(NUM_PROGRAMS)]
    deep = sum("            for " in text for text in texts)
    behind = sum("return a, b, c, step" in text for text in texts)
    until = sum("until=lambda: step" in text for text in texts)
    assert min(deep, behind, until) > NUM_PROGRAMS // 10
