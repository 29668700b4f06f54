"""These tests need the CUDA simulator; `tests/test_simulated.py` runs them in a process with it."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else ["test_*.py"]
