"""Barriers to which lanes of a warp may come one by one, as instructions tell."""

from __future__ import annotations

import pytest
from sass import apart_at_barriers

LOOP = """
        /*0000*/              @!P1 BRA `(.L_x_1) ;
.L_x_0:
        /*0010*/                   IMAD.IADD R2, R0, 0x1, R2 ;
        /*0020*/                   ISETP.GE.U32.AND P0, PT, R2, R7, PT ;
        /*0030*/              @!P0 BRA `(.L_x_0) ;
{inside}
.L_x_1:
{behind}
        /*0040*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0050*/                   EXIT ;
"""
TOGETHER = "        /*0034*/                   {} ;"


@pytest.mark.parametrize(
    ("inside", "behind", "wanted"),
    [
        ("", "", {4}),
        ("WARPSYNC.ALL", "", set()),
        ("BSYNC B2", "", set()),
        ("", "WARPSYNC.ALL", set()),
        ("NOP", "NOP", {6}),
    ],
)
def test_barriers_behind_loops_that_lanes_leave(inside, behind, wanted):
    lines = {
        name: TOGETHER.format(line) if line else ""
        for name, line in (("inside", inside), ("behind", behind))
    }
    assert apart_at_barriers(LOOP.format(**lines)) == wanted


def test_a_loop_around_a_barrier_is_left_by_all():
    text = LOOP.format(inside="", behind="").replace("IMAD.IADD R2, R0, 0x1, R2", "BAR.SYNC 0x0")
    assert apart_at_barriers(text) == set()
