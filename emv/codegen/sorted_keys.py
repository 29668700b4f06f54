"""``for m in sorted(heard)``: a message list in ascending order, or one pair for each kind.

Messages are sorted by keys, unsigned numbers of the same order (`emv_kernels.packing`), of 32 bits
where a message is one small number and of 64 otherwise. Keys of a receiver stand side by side,
where its messages stand in the store, so nothing is counted or moved between receivers. A key is
all that is read afterwards: messages with equal keys are equal. Of a tally, the kind is the first
half of a key or all of it, so that those of a kind stand together.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.folding import ordered, unordered
from emv.codegen.worker import Worker
from emv.config import config
from emv.errors import LanguageError
from emv.ir import schedule as s
from emv.lang.promote import SMALL, has_key, is_float, spelled
from emv.passes.sends import sorted_loops


class SortedKeys:
    """The keys of the messages in a store, as one launch hears them.

    Parameters
    ----------
    store : Store
        Where the messages wait.
    launch : Launch
        Who hears them.
    """

    def __init__(self, store: Any, launch: s.Launch) -> None:
        self.store, self.launch = store, launch
        self.name = f"sorted{launch.number}"
        if not has_key(store.kinds if len(store.kinds) > 1 else store.kinds[0]):
            raise LanguageError(
                f"messages that are {spelled(store.kinds)} cannot be sorted",
                sorted_loops(launch)[0].loc,
                "Send numbers, or pairs of numbers of at most 32 bits, such as (i32, f32).",
            )

    @property
    def dtype(self) -> str:
        """Return the dtype of the keys."""
        is_small = len(self.store.kinds) == 1 and self.store.kinds[0] in SMALL
        return "uint32" if is_small else "uint64"

    @property
    def largest(self) -> str:
        """Return the text of the largest key."""
        return f"np.{self.dtype}({'0xFFFFFFFF' if self.dtype == 'uint32' else (1 << 64) - 1})"

    @property
    def shows_end(self) -> bool:
        """Return whether keys tell where what was sent ends: messages stand nowhere else."""
        return bool(self.store.launch.buffer == "arcs")

    @property
    def largest_sent(self) -> str:
        """Return the text of the largest key where the one above says that nothing was sent.

        Of the messages that `has_spare_key` allows a NaN alone has that one, and becomes another.
        """
        return f"{self.largest} - np.{self.dtype}(1)"

    @property
    def are_kinds(self) -> bool:
        """Return whether keys are sorted by kind alone: amounts are added in any order."""
        if self.are_counts or config.deterministic:
            return False
        return all(each.is_tally for each in sorted_loops(self.launch))

    def array(self, worker: Worker) -> str:
        """Name the array of keys."""
        return worker.writer.scratch(self.name, self.dtype, self.store.size_in(worker))

    def key(self, worker: Worker) -> str:
        """Return the text of the key of message ``entry``."""
        kinds, parts = self.store.kinds, self.store.read(worker)
        if len(kinds) == 2:
            first, second = map(ordered, kinds, parts)
            return f"pack({first}, {second})"
        return f"np.{self.dtype}({ordered(kinds[0], parts[0])})"

    def parts(self, key: str) -> list[str]:
        """Return the texts of the components of the message with a key."""
        kinds, key = self.store.kinds, f"np.uint64({key})"
        if len(kinds) == 1:
            return [unordered(kinds[0], key)]
        halves = (f"high_half({key})", f"low_half({key})")
        return [unordered(kind, half) for kind, half in zip(kinds, halves, strict=True)]

    @property
    def amount_dtype(self) -> str:
        """Return the dtype of amounts, which are counts where a message is one number."""
        return "float64" if is_float(self.store.kinds[-1]) else "int64"

    @property
    def are_counts(self) -> bool:
        """Return whether amounts are counts of messages."""
        return len(self.store.kinds) == 1

    @property
    def kind_bits(self) -> int:
        """Return the bits of the key of a kind."""
        return int(self.dtype.removeprefix("uint")) if self.are_counts else 32

    def kind_in(self, key: str) -> str:
        """Return the text of the key of a kind within that of a message."""
        return key if self.are_counts else f"high_half(np.uint64({key}))"

    def kind_of(self, key: str) -> str:
        """Return the text of the kind with a key."""
        return unordered(self.store.kinds[0], f"np.uint64({key})")

    def amount_in(self, key: str) -> str:
        """Return the text of the amount within the key of a message."""
        return self.amount(self.parts(key))

    def amount(self, parts: list[str]) -> str:
        """Return the text of the amount of a message with some components."""
        return "1" if self.are_counts else f"np.{self.amount_dtype}({parts[1]})"
