"""The comparison of several GPUs with one: what differs is told, and what hangs is left behind."""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pytest

from tests.stress import gpus_agree

OPTIONS = argparse.Namespace(gpus="cuda:0,cuda:0", scale=4, rounds=1, limit=2, only=["a", "b"])


def test_differences():
    whole, parts = np.array([1, 2]), np.array([0.5, np.nan, np.inf])
    assert gpus_agree.difference((whole, parts), (whole.copy(), parts.copy())) == 0
    assert gpus_agree.difference(whole, whole + 1) == np.inf
    assert gpus_agree.difference(np.array([2.0]), np.array([1.0])) == 1
    assert gpus_agree.difference(np.array([np.nan]), np.array([1.0])) == np.inf


def test_what_hangs_is_killed_and_the_next_one_runs(monkeypatch: pytest.MonkeyPatch):
    says = 'import json, sys, time; print("agree: " + json.dumps({"program": sys.argv[-1], '
    says += '"exchange": "peer", "said": "same", "is_right": True}), flush=True)'
    hangs = "import time; time.sleep(60)"

    def popen(command, **named):
        text = hangs if command[-2:] == ["a", "b"] else says
        return real([sys.executable, "-c", text, *command[-1:]], **named)

    real = gpus_agree.subprocess.Popen
    monkeypatch.setattr(gpus_agree.subprocess, "Popen", popen)
    found = list(gpus_agree.rows_of(OPTIONS, "peer"))
    assert [(each["program"], each["is_right"]) for each in found] == [("a", False), ("b", True)]
    assert "without a word" in gpus_agree.line(found[0])
