"""What parts cost at a place is measured once a week, and found by later processes."""

from __future__ import annotations

import json
import math

import pytest

import emv
from emv.graph.supersteps import Costs
from emv.runtime import measured
from emv.runtime.measured import kept_costs, path_for
from emv_kernels.kept import keep

COSTS = Costs(1e-9, 2e-9, 3e-6, 4e-5, math.inf, start_s=1e-4)


@pytest.fixture(autouse=True)
def folder(tmp_path):
    with emv.config.using(cache=tmp_path / "cache"):
        yield


def never() -> Costs:
    raise AssertionError("it was measured before")


def test_what_was_measured_is_found():
    assert kept_costs("cpu/2", lambda: COSTS, 512, True) == COSTS
    assert kept_costs("cpu/2", never, 512, True) == COSTS


@pytest.mark.parametrize(
    ("label", "given"), [("cpu/4", (512, True)), ("cpu/2", (1024, True)), ("cpu/2", (512, False))]
)
def test_what_was_measured_for_something_else_is_not(label, given):
    kept_costs("cpu/2", lambda: COSTS, 512, True)
    other = Costs(2e-9, 2e-9, 3e-6, 4e-5, 1e9)
    assert kept_costs(label, lambda: other, *given) == other


def test_nor_is_it_on_another_machine_or_with_other_threads(monkeypatch):
    kept_costs("cpu/2", lambda: COSTS)
    other = Costs(2e-9, 2e-9, 3e-6, 4e-5, 1e9)
    with monkeypatch.context() as patch:
        patch.setattr(measured, "machine", lambda: "another")
        assert kept_costs("cpu/2", lambda: other) == other
    with emv.config.using(num_threads=emv.config.num_threads + 1):
        assert kept_costs("cpu/2", lambda: other) == other
    assert kept_costs("cpu/2", never) == COSTS


@pytest.mark.parametrize("age", [-1.0, 1.0])
def test_what_is_old_or_of_the_future_is_measured_anew(monkeypatch, age):
    kept_costs("cpu/2", lambda: COSTS)
    now = measured.time.time() + age * (measured.DAYS * 86400 + 10)
    monkeypatch.setattr(measured.time, "time", lambda: now)
    other = Costs(2e-9, 2e-9, 3e-6, 4e-5, 1e9)
    assert kept_costs("cpu/2", lambda: other) == other
    assert kept_costs("cpu/2", never) == other


def test_what_is_damaged_is_measured_anew(caplog):
    path = path_for("cpu/2")
    keep(path, json.dumps({}).encode())
    path.write_bytes(path.read_bytes()[:-1])
    assert kept_costs("cpu/2", lambda: COSTS) == COSTS
    assert kept_costs("cpu/2", never) == COSTS
    assert "damaged" in caplog.text


def test_without_a_folder_it_is_measured_each_time(monkeypatch):
    monkeypatch.setattr(measured, "cache_folder", lambda *given: None)
    asked: list[int] = []
    for _ in range(2):
        kept_costs("cpu/2", lambda: asked.append(1) or COSTS)  # type: ignore[func-returns-value]
    assert len(asked) == 2
