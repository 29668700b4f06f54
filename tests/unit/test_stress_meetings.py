"""The kernel of grids that meet, compiled without a GPU: what peers touch is at system scope."""

from __future__ import annotations

import numpy as np
import pytest
from sass import instructions

from emv.backends.cuda.assembly import disassembler
from emv.backends.cuda.compile import load
from tests.stress.meetings import fault_of, kernel, kinds_of

pytest.importorskip("numba_cuda")


@pytest.mark.skipif(disassembler() is None, reason="nvdisasm is not installed")
def test_boxes_are_read_and_written_at_system_scope():
    source = kernel(2)
    binary = load(source, kinds_of(source))
    found = [each for each in instructions(binary.cubin) if "STRONG" in each or "MEMBAR" in each]
    assert {"LDG.E.128.STRONG.SYS", "STG.E.128.STRONG.SYS", "MEMBAR.ALL.SYS"} <= {*found}
    assert not [each for each in found if each.startswith(("ATOM", "RED")) and "SYS" in each]
    assert binary.spill_bytes == 0


def test_what_parts_find_is_judged():
    right, short, alone = map(np.array, ([0, 78, 3, 0], [0, 77, 3, 0], [21, 0, 1, 0]))
    assert fault_of([right, right], 3) == ""
    assert "part 1 found" in fault_of([right, short], 3)
    assert fault_of([alone], 3) == "part 0 was alone in round 2 (code 1)"
