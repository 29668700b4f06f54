"""The shared state of a run: an ``int64`` array whose places have names in the generated text.

Places that several threads update at once stand 16 apart, a cache line's width.
"""

from __future__ import annotations

import enum

from emv_kernels import sizes

SHARED_PLACES = {
    "CURSOR": 0,  # the next block of work
    "NUM_ACTIVE": 16,
    "NUM_PENDING": 32,
    "NUM_ACTIVE_EDGES": 64,
    "NUM_PENDING_EDGES": 80,
    "KEEP_GOING": 96,
    "HALT": 97,
    "ACTIVATED": 98,
    "STALE": 99,  # somebody who can activate ran since the vertices' set was asked for
    "STALE_EDGES": 100,
    "FLIPPED": 101,  # whether the active and the pending queue have changed places
    "FLIPPED_EDGES": 102,
    "SEED": 104,
    "SUPERSTEPS": 105,  # begun so far, over all loops
    "STOPPED": 106,  # why the last loop ended, an index of REASONS
    "NUM_VERTICES": 107,
    "NUM_EDGES": 108,
    "NUM_ARCS": 109,
    "NUM_THREADS": 110,
    "BAD_INDEX": 111,  # a user's id was out of range; the id is in the next place
    "DIRECTED": 103,
    "SEEN_VOLUME": 113,  # arcs of all vertices that were active since the loop began
    "PULLING": 114,  # the direction of the last superstep
    "IDLE": 151,  # threads that have found no more to do in a phase
    "BUDGET": 115,  # supersteps a compiled loop may run before it comes back
    "LEAVING": sizes.LEAVING,
    "LISTENS": sizes.LISTENS,
}
DEVICE_PLACES = {  # where whole programs run on a device
    "DONE": 116,  # the program has ended
    "RESUMING": 117,  # a launch goes on where the budget of the last one ended
    "BLOCKS": 118,  # thread blocks of a launch
    "NUM_HUBS": 119,  # vertices whose in-arcs are folded in pieces
    "NUM_PIECES": 120,
    "TURNS": 121,  # how often the active set was asked for: the stamp of what is pending
    "TURNS_EDGES": 122,
    "PENDING_BEFORE": 123,  # lengths of the pending queues when the superstep began
    "PENDING_BEFORE_EDGES": 124,
    "ACTIVE_ARCS": 125,  # arcs of the active vertices
    "ALONE": sizes.ALONE,
    "HAS_WIDE": 127,  # whether a row is so long that a push cuts it into pieces
    "BUSY_WORDS": 156,  # words of a row of bits of a busy vertex; 0 where no row is long
    "HASHED": 157,  # whether short rows are there as hashes
    "ROW_LANES": 149,  # lanes that hold any row, where all rows are short
    "MOST_APART": 154,  # so many rows would take more lanes than there are; 0 where rows are long
    "PENDING_ARCS": 128,
    "ACTIVE_LONG": 154,  # whether an active vertex may have a row that a push cuts into pieces
    "PENDING_LONG": sizes.PENDING_LONG,
    "HAS_ORDER": 130,  # whether receivers stand in another order than that of their ids
    "HAS_POSITION": 131,  # whether senders do
    "NUM_SENDERS": 148,  # how many stand in front of those without an arc
    "CALLED_OFF": 129,  # a callback asked to end the run
    "STEP": 133,  # which step a launch runs, where the host drives a program step by step
    # Where grids meet: see `emv.codegen.cuda.grids`.
    "BAD_ID": 112,  # the id behind BAD_INDEX
    "MET": 134,  # how often
    "PART": 135,  # the number of the own one
    "PATIENCE": 136,  # nanoseconds that one waits for another
    "CAME": 137,  # why the last meeting was none; 0 if it was one
    "MISSED": 138,  # who did not come
    "ALL_PENDING": 139,  # pending vertices of all parts, and their arcs
    "ALL_PENDING_ARCS": 140,
    "FRONT": 141,  # the first active vertex
    "GOES_ON": 143,  # until the host wants the launch to end
    "NEXT_FRONT": 145,  # the first pending one
    "ALL_HOLD": 146,  # what all active hold of what claims ask for, and the pending
    "NEXT_HELD": 147,
    "NUM_WIDE": 144,  # pieces of rows that a push shares out among all warps
    "ARRIVED": sizes.ARRIVED,
    "RELEASED": sizes.RELEASED,
    "ALONE_AT": sizes.ALONE_AT,
    "MET_APART": sizes.MET_APART,
    "ALL_ARCS": 150,  # arcs of the whole graph, of which a part has its own
}
COMMON_PLACES = {  # where tables of warps are
    "BY_ROW": 132,  # whether a row is so long that edges are walked in the order of their rows
}
PLACES = SHARED_PLACES | DEVICE_PLACES
FIRST_FREE = 192
VOTES = ("KEEP_GOING", "ACTIVATED", "HALT")
REASONS = ("no loop", "limit", "halt", "converged", "until", "callback")


class Own(enum.IntEnum):
    """The places that a launch or a loop has for itself, by what they are called in kernels."""

    RECEIVERS = 0  # how many receivers it has
    PREPARED = 1  # whether accumulators hold their start values
    IS_EMPTY = 2  # whether nothing is claimed when the run begins
    IS_SETTLING = 3  # whether lists say which receivers are open
    # Where it keeps messages.
    COUNT = 4  # how many there are
    REGIONS = 5  # where the next receiver's begin
    NEED = 6  # how many were too many
    ROOM = 7  # how many there is room for
    STAMP = 8  # the mark of the superstep
    NUM_IDS = 9  # how many ids it is applied to
    REACHED = 10  # arcs of receivers
    LONG_ONES = 11  # how many receivers have very many messages
    # Where it claims: 1 if the active hold a number, 2 if they hold the empty value.
    HOLDS = 12
    NEXT_HOLDS = 13  # so of the next ones
    # Where it relaxes.
    MAY_RELAX = 14  # whether nothing added is negative
    FAR = 15  # the length of the far pile
    FAR_KEPT = 16  # the length of what is kept of it
    FAR_FLIPPED = 17  # whether those two have changed places
    # Where it claims by bits.
    WORDS = 18  # words of the frontier
    NEXT_WORDS = 19
    WORDS_FLIPPED = 20  # whether both frontiers have changed places
    MESSAGES_FLIPPED = 20  # where receivers make the next messages, whether both arrays have
    HELD = 21  # what the active hold
    SENT = 22  # what they send
    # Where parts of a graph relax, each with the far piles of its own.
    FAR_OF_ALL = 23  # the length of all far piles
    OPEN_OF_ALL = 23  # where they claim: how many receivers the pull before has left open
    # Of a loop: what it does next, and the votes of the loop around it.
    RUNNING = 24
    KEEP_GOING = 25
    ACTIVATED = 26
    HALT = 27
    # How many elements others have written, by column whose writes it gathers.
    WRITTEN = 28
    SECOND_WRITTEN = 29
    THIRD_WRITTEN = 30
    FOURTH_WRITTEN = 31
    # Where it keeps lists of messages.
    ORIGIN = 32  # the address at which the superstep's messages begin
    # Where it joins sets: the most frequent one.
    OFTEN = 33
    # Where pulls behind each other look at those who are left open alone.
    PULLS = 34  # how many superstep by superstep, this one among them
    OPEN = 35  # how many receivers are left open
    NEXT_OPEN = 36
    OPEN_HUBS = 37  # whether hubs are
    NEXT_OPEN_HUBS = 38
    BEGUN = 39  # how often pulls began
    # Where it tallies messages.
    WIDE_ONES = 40  # how many receivers have so many that blocks take them


NUM_OWN = 41
CHUNK = sizes.CHUNK  # places for messages that a thread of the CPU takes at once
NO_ROOM = 2  # in BAD_INDEX: there were more messages than room


def place_of_launch(number: int, place: Own = Own.RECEIVERS) -> int:
    """Return a place that a launch or a loop has for itself."""
    return FIRST_FREE + NUM_OWN * number + place


def own_text(number: int, place: Own) -> str:
    """Return the text of what is at a place of a launch or a loop."""
    return f"state[{place_of_launch(number, place)}]"


# Of the array of thresholds of a loop that relaxes: see `emv.codegen.relaxing`.
THRESHOLD, DELTA, NEAREST, BEFORE = range(4)
THRESHOLDS = ("THRESHOLD", "DELTA", "NEAREST", "BEFORE")


def name_in(array: str, place: int) -> str | None:
    """Return what a place of an array is called in kernels; None where it has no name."""
    if array == "near_far":
        return THRESHOLDS[place]
    return place_name(place) if array == "state" else None


def place_name(place: int) -> str:
    """Return what a place of a launch or loop is called in kernels, such as ``RECEIVERS_3``.

    Examples
    --------
    >>> place_name(place_of_launch(3, Own.STAMP))
    'STAMP_3'
    """
    number, offset = divmod(place - FIRST_FREE, NUM_OWN)
    return f"{Own(offset).name}_{number}"


def room_place(name: str, place: Own = Own.ROOM) -> int:
    """Return the place of a room such as ``M3``, that of launch 3, or of what it lacked."""
    return place_of_launch(int(name[1:]), place)
