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
LAUNCH_PLACES = 16  # of each launch and each loop, by its number
REASONS = ("no loop", "limit", "halt", "converged", "until", "callback")


IS_EMPTY = 2  # of a launch that claims: whether nothing is claimed when the run begins
IS_SETTLING = 3  # of a launch that pulls: whether lists say which receivers are open
# Of a launch that relaxes: whether nothing that is added along an arc is negative; the lengths of
# the far pile and of what stays in it; whether the two have changed places.
MAY_RELAX, FAR_LENGTH, FAR_KEPT, FAR_FLIPPED = 3, 4, 5, 6
IDS_PLACE = 9  # of a launch: how many ids it is applied to
LOOP_PLACES = {"running": 0, "KEEP_GOING": 1, "ACTIVATED": 2, "HALT": 3}  # of a loop's own 16


# Of a launch's own 16 places, where it keeps messages: how many there are, where the next
# receiver's begin, how many were too many, how many there is room for, the mark of the superstep,
# the arcs of receivers, and how many receivers have very many.
COUNT, REGIONS, NEED, ROOM, STAMP, REACHED, LONG_ONES = 4, 5, 6, 7, 8, 10, 11
CHUNK = sizes.CHUNK  # places for messages that a thread of the CPU takes at once
NO_ROOM = 2  # in BAD_INDEX: there were more messages than room


def place_of_launch(number: int) -> int:
    """Return the place of the number of receivers of a launch."""
    return FIRST_FREE + LAUNCH_PLACES * number


def num_places(last: int) -> int:
    """Return the length of the state where launches and loops have numbers up to ``last``."""
    return place_of_launch(last + 2)


def room_place(name: str) -> int:
    """Return the place of a room such as ``M3``, that of launch 3."""
    return place_of_launch(int(name[1:])) + ROOM


def need_place(name: str) -> int:
    """Return the place of what a room such as ``M3`` was too small for."""
    return place_of_launch(int(name[1:])) + NEED
