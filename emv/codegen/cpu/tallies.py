"""``for kind, amount in emv.tally(heard)`` on cores, where kinds may come in any order.

Other tallies walk over sorted messages (`emv.codegen.sorted_keys`). A thread adds up the messages
of one vertex at a time, while it has them near; `emv_kernels.cpu.tallies` says how.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.cpu.blocks import CpuWorker, OneThread
from emv.codegen.queues import count_of
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.worker import Worker
from emv.dtypes import dtype_named
from emv.errors import Loc
from emv_kernels.sizes import FEW_KINDS, KIND_COUNTS, LISTED_KINDS, SMALL_KINDS

NARROW = ("bool", "i8", "u8", "i16", "u16", "i32")  # kinds that an int32 holds


class Tally:
    """The names of what threads add up in, as one launch hears messages."""

    def __init__(self, keys: SortedKeys, worker: Worker) -> None:
        assert isinstance(worker, CpuWorker)
        self.keys, self.worker, self.kind = keys, worker, keys.store.kinds[0]
        number, size = keys.name.removeprefix("sorted"), keys.store.size_in(worker)
        listed, twice = f"T*{LISTED_KINDS}+{size}", "+".join(f"{e}*2" for e in size.split("+"))
        amount, kind = keys.amount_dtype, "int32" if self.kind in NARROW else "int64"
        scratch = worker.writer.scratch
        self.counts = scratch(f"tally_counts{number}", "int64", f"T*{KIND_COUNTS}", -1)
        self.sums = scratch(f"tally_sums{number}", amount, f"T*{SMALL_KINDS}")
        self.kinds = scratch(f"tally_kinds{number}", kind, listed)
        self.places = scratch(f"tally_places{number}", "int32", f"T*{2 * LISTED_KINDS}+{twice}")
        self.amounts = scratch(f"tally_amounts{number}", amount, listed)

    def begin(self, vertex: str) -> None:
        """Write how a thread adds up the messages of a vertex by kind."""
        writer, store = self.worker.writer, self.keys.store
        ends = ", ".join(f"np.int64({each})" for each in store.span(self.worker, vertex))
        thread = "0" if isinstance(self.worker, OneThread) else "thread"
        arrays = f"{self.counts}, {self.sums}, {self.kinds}"
        told = f"{arrays}, {thread}, state[NUM_THREADS], {ends}, {count_of('vertex')}"
        writer.add(f"table = begin_tally({told})\nnum_kinds = 0")
        self.worker.leaves[f"leave_tally({arrays}, {thread})"] = None
        few = f"tally_few({self.kinds}, {self.amounts}"
        many = f"tally({arrays}, {self.places}, {self.amounts}"
        for test, call in ((f"if table[4] <= {FEW_KINDS}:", few), ("else:", many)):
            with writer.block(test), store.walk(self.worker, vertex):
                parts = store.read(self.worker)
                told = f"table, num_kinds, np.int64({parts[0]}), {self.keys.amount(parts)}"
                writer.add(f"num_kinds = {call}, {told})")

    @contextlib.contextmanager
    def walk(self, name: str, loc: Loc | None) -> Iterator[None]:
        """Write the loop over the kinds of a vertex; ``name`` is a kind and its amount."""
        writer = self.worker.writer
        place, kind = writer.fresh("place"), f"np.{dtype_named(self.kind).name}"
        with writer.block(f"for {place} in range(table[3], table[3] + num_kinds):", loc):
            amount = f"amount_of({self.sums}, {self.kinds}, {self.amounts}, table, {place})"
            writer.add(f"{name} = ({kind}({self.kinds}[{place}]), {amount})")
            yield
