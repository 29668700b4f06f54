"""The shared state of a run: an ``int64`` array whose places have names in the generated text.

Places that several threads update at once stand 16 apart, a cache line's width.
"""

from __future__ import annotations

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
    "BUDGET": 115,  # supersteps a compiled loop may run before it comes back
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
    "PENDING_ARCS": 128,
    "HAS_ORDER": 130,  # whether receivers stand in another order than that of their ids
    "HAS_POSITION": 131,  # whether senders do
    "CALLED_OFF": 129,  # a callback asked to end the run
    "NUM_WIDE": 144,  # pieces of rows that a push shares out among all warps
    "ARRIVED": sizes.ARRIVED,
    "RELEASED": sizes.RELEASED,
    "ALONE_AT": sizes.ALONE_AT,
}
COMMON_PLACES = {  # where tables of warps are
    "BY_ROW": 132,  # whether a row is so long that edges are walked in the order of their rows
}
PLACES = SHARED_PLACES | DEVICE_PLACES
FIRST_FREE = 192
REASONS = ("no loop", "limit", "halt", "converged", "until", "callback")


OWN = 32  # places that a launch or a loop has for itself

# Of a launch: how many receivers it has; whether accumulators hold their start values; whether
# nothing is claimed when the run begins; whether lists say which receivers are open.
RECEIVERS, PREPARED, IS_EMPTY, IS_SETTLING = 0, 1, 2, 3
# Where it keeps messages: how many there are, where the next receiver's begin, how many were too
# many, how many there is room for, the mark of the superstep.
COUNT, REGIONS, NEED, ROOM, STAMP = 4, 5, 6, 7, 8
IDS_PLACE = 9  # how many ids it is applied to
REACHED, LONG_ONES = 10, 11  # arcs of receivers, and how many receivers have very many messages
# Where it claims: 1 if the active hold a number, 2 if they hold the empty value; so the next ones.
HOLDS, NEXT_HOLDS = 12, 13
# Where it relaxes: whether nothing added is negative; lengths of the far pile, and of what is kept
# of it; whether those two have changed places.
MAY_RELAX, FAR, FAR_KEPT, FAR_FLIPPED = 14, 15, 16, 17
# Where it claims by bits: words of the frontier, and of the next; whether both have changed places;
# what the active hold, and what they send.
WORDS, NEXT_WORDS, WORDS_FLIPPED, HELD, SENT = 18, 19, 20, 21, 22
# Of a loop: what it does next, and the votes of the loop around it.
LOOP_PLACES = {"running": 24, "KEEP_GOING": 25, "ACTIVATED": 26, "HALT": 27}

OWN_NAMES = {  # what they are called in kernels
    RECEIVERS: "RECEIVERS",
    PREPARED: "PREPARED",
    IS_EMPTY: "IS_EMPTY",
    IS_SETTLING: "IS_SETTLING",
    COUNT: "COUNT",
    REGIONS: "REGIONS",
    NEED: "NEED",
    ROOM: "ROOM",
    STAMP: "STAMP",
    IDS_PLACE: "NUM_IDS",
    REACHED: "REACHED",
    LONG_ONES: "LONG_ONES",
    HOLDS: "HOLDS",
    NEXT_HOLDS: "NEXT_HOLDS",
    MAY_RELAX: "MAY_RELAX",
    FAR: "FAR",
    FAR_KEPT: "FAR_KEPT",
    FAR_FLIPPED: "FAR_FLIPPED",
    WORDS: "WORDS",
    NEXT_WORDS: "NEXT_WORDS",
    WORDS_FLIPPED: "WORDS_FLIPPED",
    HELD: "HELD",
    SENT: "SENT",
    LOOP_PLACES["running"]: "RUNNING",
    LOOP_PLACES["KEEP_GOING"]: "KEEP_GOING",
    LOOP_PLACES["ACTIVATED"]: "ACTIVATED",
    LOOP_PLACES["HALT"]: "HALT",
}
CHUNK = sizes.CHUNK  # places for messages that a thread of the CPU takes at once
NO_ROOM = 2  # in BAD_INDEX: there were more messages than room


def place_of_launch(number: int) -> int:
    """Return the first of the places that a launch or a loop has for itself."""
    return FIRST_FREE + OWN * number


# Of the array of thresholds of a loop that relaxes: see `emv.codegen.cpu.relaxing`.
THRESHOLD, DELTA, NEAREST, BEFORE = range(4)
THRESHOLDS = ("THRESHOLD", "DELTA", "NEAREST", "BEFORE")


def place_of_loop(number: int) -> int:
    """Return the place that says what a loop does next."""
    return place_of_launch(number) + LOOP_PLACES["running"]


def name_in(array: str, place: int) -> str | None:
    """Return what a place of an array is called in kernels; None where it has no name."""
    if array == "near_far":
        return THRESHOLDS[place]
    return place_name(place) if array == "state" else None


def place_name(place: int) -> str:
    """Return what a place of a launch or loop is called in kernels, such as ``RECEIVERS_3``.

    Examples
    --------
    >>> place_name(place_of_launch(3) + STAMP)
    'STAMP_3'
    """
    number, offset = divmod(place - FIRST_FREE, OWN)
    return f"{OWN_NAMES[offset]}_{number}"


def room_place(name: str) -> int:
    """Return the place of a room such as ``M3``, that of launch 3."""
    return place_of_launch(int(name[1:])) + ROOM


def need_place(name: str) -> int:
    """Return the place of what a room such as ``M3`` was too small for."""
    return place_of_launch(int(name[1:])) + NEED
