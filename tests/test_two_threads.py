"""On two threads, what else runs on one: masks, votes, lists, buffers, layouts, sweeps, batches.

Of every test of `tests/backends` the text for several threads is interpreted, on two that interrupt
each other (`tests/interleaved_cpu.py`), which leaves nothing to compile. Some are compiled, too,
with ``pytest --threads 2``, as which all tests can run. In both, small graphs are shared out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOO_LONG = (
    "large one_vertex_stress ends_a_loop folds_and_lists many_write_one 200000 canonical"
    " random_programs"
).split()
"""Of graphs, or of very many programs, that are not for an interpreter."""
APART = "cuda compile_errors forked peak touches".split()
"""Of GPUs, of compiling, of processes and of memory."""
COMPILED = """
test_batches.py::test_searches[cpu]
test_buffers.py::test_folds_and_lists_of_every_buffer[cpu-slots-grouped]
test_claims.py::test_claims_from_several_seeds
test_language_combiners.py::test_message_records_and_a_users_combiner[cpu]
test_language_sweeps.py::test_messages_may_be_of_what_was_just_written[cpu]
test_layouts.py::test_every_function_in_another_storage[3]
test_masks.py::test_a_traversal_by_mask[cpu]
test_relaxations.py::test_two_relaxing_loops_follow_each_other
""".split()
NOT_SO = f"not ({' or '.join([*TOO_LONG, *APART])})"
PARTS = {
    "interpreted": ["-p", "interleaved_backend", "-k", NOT_SO, "tests/backends"],
    "compiled": ["--threads", "2", *(f"tests/backends/{each}" for each in COMPILED)],
}


@pytest.mark.parametrize("part", PARTS)
def test_on_two_threads(part):
    environment = {
        **os.environ,
        "NUMBA_NUM_THREADS": "2",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PARTS[part]]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
