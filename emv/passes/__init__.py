"""Program -> Schedule: fuse calls into launches, then let `PASSES` decide how each is run."""

from __future__ import annotations

from typing import Any

from emv.ir import program as p
from emv.ir import schedule as s
from emv.passes.around import Pass, Setting
from emv.passes.ask_first import ask_first
from emv.passes.choose_buffer import choose_buffer
from emv.passes.choose_direction import choose_direction
from emv.passes.choose_walk import choose_layout, choose_walk, index_values
from emv.passes.divide import divide
from emv.passes.double_buffer import double_buffer
from emv.passes.find_shortcuts import find_shortcuts
from emv.passes.follow import follow
from emv.passes.follow_schedule import follow_schedule
from emv.passes.fuse import fuse
from emv.passes.hold_arcs import hold_arcs
from emv.passes.lay_apart import lay_apart
from emv.passes.meet_common import meet_common
from emv.passes.mix_rows import mix_rows
from emv.passes.prepare_pulls import join_receivers, keep_arcs, look_again, prepare_pulls
from emv.passes.read_early import read_early
from emv.passes.settle_loops import flag_activations, place_loops
from emv.passes.share_links import share_links
from emv.passes.share_rounds import share_rounds
from emv.passes.spread_copies import spread_copies
from emv.passes.tally_kinds import tally_kinds

PASSES: tuple[Pass, ...] = (
    # First, as all others depend on what the caller asks.
    follow_schedule,
    # Independent of all else.
    choose_walk,
    # Before the direction: a double-buffered column does not change how messages travel.
    double_buffer,
    # Before the shortcuts, which only help launches that may push.
    choose_direction,
    # After the direction, which says whether messages are kept.
    choose_buffer,
    # After the direction, which says whether arcs are walked; shortcuts only know compressed rows.
    choose_layout,
    find_shortcuts,
    # After the shortcuts, which may rule a pull out.
    join_receivers,
    # After all that decides how a launch walks.
    keep_arcs,
    # After the arcs that are kept, along which receivers may look again.
    look_again,
    # Independent of all else.
    share_rounds,
    tally_kinds,
    # Of launches that send nothing; after what takes vertices one after the other on a GPU.
    index_values,
    # Asks for the direction, as only edges that send nothing mark rows.
    meet_common,
    # After all that launches become; before copies of them stand before their loops.
    divide,
    # After all that is decided of the launches that it repeats before their loops.
    prepare_pulls,
    # After all that launches become: where a loop runs depends on them.
    place_loops,
    # After the places, as only a loop without Python knows its superstep before.
    follow,
    # After the places, as only a loop that one block may run counts the arcs of the active.
    lay_apart,
    # Of the whole program, whatever its launches became.
    flag_activations,
    # Of bodies that nobody else changes any more.
    read_early,
    share_links,
    # Of the whole schedule, once it is decided.
    spread_copies,
    # After the copies, of which some have no guard any more.
    ask_first,
    # Change nothing of it, and look at all.
    hold_arcs,
    mix_rows,
)
"""Every decision that shapes a kernel, in this order: from a schedule and its setting."""


def make_schedule(program: p.Program, setting: Setting) -> tuple[s.Schedule, dict[Any, s.Slot]]:
    """Return the schedule of a program and the slots of its scalars."""
    # Fusing needs who uses what over the whole program, and everything later speaks of launches.
    schedule, slots = fuse(program, setting)
    for decide in PASSES:
        schedule = decide(schedule, setting)
    return schedule, slots
