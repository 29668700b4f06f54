"""These tests need the CUDA simulator; `tests/test_simulated.py` runs them in a process with it."""

from __future__ import annotations

import os

import pytest

collect_ignore_glob = [] if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else ["test_*.py"]


@pytest.fixture
def small_digits(monkeypatch):
    """Let sorts go by 4 bits at a time: a table of 16 places is walked sooner than one of 256."""
    from emv.backends.cuda import sorting
    from emv_kernels.cuda import sort

    monkeypatch.setattr(sorting, "DIGIT_BITS", 4)
    monkeypatch.setattr(sorting, "DIGITS", 16)
    monkeypatch.setattr(sort, "DIGITS", 16)
    monkeypatch.setattr(sort, "TALLIES", 16 * sort.WARPS)
