"""Random programs, called again and again on one graph: every call gives what plain Python gives.

From the third equal call on a run is done at one go, in memory of results that nobody holds; of
these results every other one is kept, and is at the end what it was.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest
from interpreted_cpu import interpreted
from random_choices import seeded
from random_programs import Case, case_of
from random_runs import differs, graph_of, load
from random_runs import run as run_once

import emv
from emv.errors import EmvError
from emv.runtime.drive.again import Again

PROGRAMS = range(400, 520)
CALLS = 6
SELDOM = 20  # runs at one go, at least: most programs take lists or columns, or loops in loops


def called(case: Case, module: Any, graph: Any) -> list[Any]:
    """Return the results of equal calls, of a prepared one behind two others."""
    with warnings.catch_warnings(), emv.config.using(deterministic=case.deterministic):
        warnings.simplefilter("ignore")
        options = {"backend": "cpu", "rng": 5}
        found = [module.main.run(graph, **case.arguments, **options).result for _ in range(CALLS)]
        call = module.main.prepare(graph, **case.arguments, **options)
        for k in range(CALLS):
            found.append(call())
            if k % 2:
                found.pop()
        return found


def test_equal_calls_of_random_programs(tmp_path, monkeypatch: pytest.MonkeyPatch):
    at_one_go = []
    real = Again.run
    monkeypatch.setattr(Again, "run", lambda *given: at_one_go.append(1) or real(*given))
    tried = 0
    with interpreted():
        for number in PROGRAMS:
            case = case_of(seeded(number))
            module = load(case, tmp_path)
            try:
                wanted = run_once(case, module, "python").result
                found = called(case, module, graph_of(case))
            except EmvError:  # what compiled code refuses is told of elsewhere
                continue
            finally:
                del sys.modules[module.__name__]
            tried += 1
            wrong = [differs(wanted, each, "result") for each in found]
            assert not any(wrong), f"{number}: {wrong}\n{case.source}"
    assert tried > len(PROGRAMS) // 2
    assert len(at_one_go) > SELDOM
