"""Random programs on the text for GPUs, in one simulated block; `tests/random_programs.py`."""

from __future__ import annotations

import pytest
from random_choices import seeded
from random_programs import case_of
from random_runs import compare, shortest
from simulated_gpu import SimulatedDriver, install, shorten_lists

NUM_PROGRAMS = 50


def test_text_for_gpus(tmp_path, monkeypatch):
    driver = SimulatedDriver(stops=0.01)
    install(driver, monkeypatch)
    shorten_lists(monkeypatch, 3, 6, 8)
    for number in range(NUM_PROGRAMS):
        case = case_of(seeded(number))
        if any(each.wrong for each in compare(case, tmp_path, ("cuda",))):
            pytest.fail(shortest(case, tmp_path, "cuda", 200))
    assert driver.count("launch") > NUM_PROGRAMS // 2  # those that are not refused
