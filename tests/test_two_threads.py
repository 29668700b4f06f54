"""On two threads, what else runs on one: masks, votes, lists, buffers, layouts, sweeps, batches.

Some tests of `tests/backends` are compiled with ``pytest --threads 2``, as which all tests can run.
``pytest -p interleaved_backend tests/backends`` interprets the text for several threads instead, on
two that interrupt each other (`tests/interleaved_cpu.py`), in some ten minutes, for which it is not
run here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILED = """
test_batches.py::test_searches[cpu]
test_buffers.py::test_folds_and_lists_of_every_buffer[cpu-slots-grouped]
test_claims.py::test_claims_from_several_seeds
test_language_combiners.py::test_message_records_and_a_users_combiner[cpu]
test_language_sweeps.py::test_messages_may_be_of_what_was_just_written[cpu]
test_layouts.py::test_every_function_in_another_storage[3]
test_masks.py::test_a_traversal_by_mask[cpu]
test_relaxations.py::test_two_relaxing_loops_follow_each_other
test_rising.py::test_compiled_programs[0]
""".split()


def test_on_two_threads():
    environment = {
        **os.environ,
        "NUMBA_NUM_THREADS": "2",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--threads", "2", *(f"tests/backends/{each}" for each in COMPILED)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
