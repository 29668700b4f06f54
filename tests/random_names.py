"""Names that random programs draw: plain ones, and now and then one that is awkward.

Awkward are the words of the kernels, what emv's own classes have, keywords with an underscore, long
names, letters of other alphabets, and another name of the program with an ending that kernels give
to arrays. A name is drawn once per space of names, so a field, a local, a function and a record may
well have the same one.
"""

from __future__ import annotations

import builtins
import itertools
import keyword
from collections.abc import Sequence

from random_choices import Choices

ENDINGS = ("_next", "_by_arc", "_by_slot", "_2", "_", "_rows", "_row", "_of_arc")
KERNELS = """
state pending active first_out first_in of_arc of_slot src_of_arc dst_of_arc src_of_slot
slot_of_arc blocks
threads stride ints floats lane block thread shared num_blocks low high begin end row src dst arc
edge_of_arc k v e s r src_x v_x e_x s_x message message_1 value receiver received received3
receivers3
messages queue queued flags ids ids1 settle settle_1 loop_1 place count shift near far entry limit
phase one ONE STALE HALT CURSOR NUM_VERTICES np numba cuda njit work together
by_threads tell told called inlined
append flush turn checked measure next_block take_flag add_if min_if claim_once copy_into uniform
program grid sync warp atomic superstep supersteps pulling neighbour fold0_0 first slot slots store
emv_kernels activated keep_going halt num_active seed links heard own
""".split()
OWN_WORDS = """
kind fields record run ids apply domain loc describe missing vertex plain as_tuple name names
initial graph self args named column values default mro call message_type set unset update
len min max int range print sum list
""".split()
KEYWORDS = [f"{each}_" for each in ("class", "def", "in", "lambda", "None", "return", "from")]
LONG = ["a" * 100, "b" * 99 + "_next", "long_" * 20]
OTHERS = ["größe", "距離", "été", "имя", "ß", "Ω_next", "名"]
AWKWARD = (*KERNELS, *OWN_WORDS, *KEYWORDS, *LONG, *OTHERS)

FIELDS_TAKEN = frozenset("id src dst at activate send send_to out_degree in_degree".split())
GIVEN = """
emv math Edge EdgeList Graph Mask Message MessageList Vertex DisjointSet edge elist f32 f64 i8 i16
i32 i64 message mlist program u8 u16 u32 u64 vertex Spot Line main grain mixed first last mixture
nearest g e v m link links heard num_v num_e front
""".split()
TAKEN = frozenset({*GIVEN, *dir(builtins), *keyword.kwlist})
"""What cannot be the name of a local, a parameter, a function or a record of a random program."""
CALLS_TAKE = frozenset("backend seed callback stream schedule precision graph self".split())
"""Keywords of a program's call."""


class Names:
    """One space of names: what it gave is not given again.

    Parameters
    ----------
    taken : iterable of str
        What it never gives.
    percent : int
        How often a name is awkward.
    """

    def __init__(self, choices: Choices, taken: Sequence[str], percent: int = 30) -> None:
        self.choices, self.taken, self.percent = choices, set(taken), percent
        self.given: list[str] = []

    def draw(self, stem: str, near: Sequence[str] = ()) -> str:
        """Return a name: the stem with a number, or an awkward one.

        ``near`` are names to which an ending may be put.
        """
        name = next(f"{stem}{k}" for k in itertools.count() if f"{stem}{k}" not in self.taken)
        if self.choices.chance(self.percent):
            ended = [f"{each}{ending}" for each in (*self.given, *near) for ending in ENDINGS]
            words = ended if ended and self.choices.chance(40) else AWKWARD
            free = [each for each in words if each not in self.taken]
            name = self.choices.pick(free) if free else name
        self.taken.add(name)
        self.given.append(name)
        return name
