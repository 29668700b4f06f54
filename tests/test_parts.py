"""On parts of a graph, what else runs on one device: each kind of thing that a program does.

Most tests of `tests/backends` can run so, see `tests/parts_backend.py`. Those that ask for a
priority of relaxations cannot, which parts refuse; those of `test_stress.py` and `test_buffers.py`
take long interpreted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from interpreted_cpu import interpreted
from random_choices import seeded
from random_programs import case_of
from random_runs import compare, shortest

ROOT = Path(__file__).resolve().parents[1]
NUM_PROGRAMS = 60
RANDOM = ("cpu/2", "cpu/3/hash")
PARTS = {
    "1,2,3,8": """
test_kinds.py test_language_activity.py test_language_messages.py test_language_out_arcs.py
test_language_sets.py
""",
    "3/hash": """
test_batches.py test_edges.py test_language_combiners.py test_language_draws.py
test_language_sweeps.py test_masks.py
""",
}


@pytest.mark.paper("S102")
@pytest.mark.parametrize("parts", PARTS)
def test_on_parts(parts):
    environment = {
        **os.environ,
        "EMV_TEST_PARTS": parts,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "parts_backend",
    ]
    command += ["-k", "cpu/", *(f"tests/backends/{each}" for each in PARTS[parts].split())]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]


def test_random_programs(tmp_path):
    with interpreted():
        for number in range(NUM_PROGRAMS):
            case = case_of(seeded(number))
            for report in compare(case, tmp_path, RANDOM):
                if report.wrong:
                    pytest.fail(shortest(case, tmp_path, report.backend, 200))
