"""The text of a fold: its start values, its step in registers, its step by atomics, its result.

A fold has an accumulator for each component of a message and each receiver. Sums and products of
f32 are kept in f64, whole numbers in 64 bits. A pair that is folded as a whole by `min` or `max` is
pushed as one word: both components as keys whose order is theirs (`emv_kernels.packing`), the first
one in front, so that one atomic compares both. Pulled, pairs are compared component by component.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from emv.codegen.expressions import as_read, as_stored, cast, helper_name, number_text, widened
from emv.codegen.writer import Writer
from emv.dtypes import dtype_named
from emv.ir.body import Helper
from emv.ir.frozen import dataclass
from emv.ir.schedule import Fold, component_types
from emv.lang.helpers import folding
from emv.lang.promote import passed

WIDENED = {"i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}  # whose keys smaller types have


def stored_kind(op: Any, kind: str) -> str:
    """Return the type of an accumulator: floats are summed in f64, truth values kept as bytes."""
    if op.name in ("sum", "prod") and op.loc is None:
        return {"f32": "f64", "f64": "f64", "u64": "u64"}.get(kind, "i64")
    return kind


def array_dtype(kind: str) -> str:
    """Return the dtype of an array of a type, as kernels see it."""
    return "uint8" if kind == "bool" else dtype_named(kind).name


@dataclass(frozen=True)
class ComponentArrays:
    """The arrays that hold a value's components, one for each.

    Attributes
    ----------
    names : tuple of str
        Of the arrays.
    kinds : sequence of str
        The types of the components.
    size : str
        How many entries each has.
    """

    names: tuple[str, ...]
    kinds: Sequence[str]
    size: str

    @classmethod
    def of(cls, stem: str, kinds: Sequence[str], size: str) -> ComponentArrays:
        """Return the arrays that are called after a stem."""
        return cls(tuple(f"{stem}_{k}" for k in range(len(kinds))), kinds, size)

    def arrays(self, writer: Writer) -> list[str]:
        """Name the arrays."""
        both = zip(self.names, self.kinds, strict=True)
        return [writer.scratch(name, array_dtype(kind), self.size) for name, kind in both]

    def read(self, writer: Writer, index: str) -> list[str]:
        """Return the texts of the components of an entry."""
        both = zip(self.arrays(writer), self.kinds, strict=True)
        return [as_read(f"{array}[{index}]", kind) for array, kind in both]

    def put(self, writer: Writer, index: str, values: Iterable[str]) -> None:
        """Write components into an entry."""
        for array, kind, value in zip(self.arrays(writer), self.kinds, values, strict=True):
            writer.add(f"{array}[{index}] = {as_stored(value, kind)}")


class FoldText:
    """Writes one fold.

    Attributes
    ----------
    kept : ComponentArrays
        The accumulators of all receivers.
    """

    def __init__(self, fold: Fold) -> None:
        self.fold = fold
        self.kinds = component_types(fold.message)
        ops = fold.ops if len(fold.ops) == len(self.kinds) else fold.ops * len(self.kinds)
        self.ops = ops
        self.stored = [stored_kind(op, kind) for op, kind in zip(ops, self.kinds, strict=True)]
        self.kept = ComponentArrays(fold.values.names, self.stored, "V")

    @property
    def whole(self) -> bool:
        """Return whether tuples are folded as a whole."""
        return self.fold.ordered

    def starts(self, writer: Writer) -> list[str]:
        """Return the text of each component's start value."""
        if self.fold.initial is None:
            return self.identities()
        for slot in self.fold.initial:
            writer.slot(slot)
        given = zip(self.fold.initial, self.stored, strict=True)
        return [cast(slot.read, slot.type, kind) for slot, kind in given]

    def identities(self) -> list[str]:
        """Return the text of what each component's fold of nothing is."""
        return [self._identity(position) for position in range(len(self.kinds))]

    def nothing(self) -> list[str]:
        """Return the text of what leaves each component as it is, also a sum of -0.0."""
        sums = [
            op.name == "sum" and kind == "f64"
            for op, kind in zip(self.ops, self.stored, strict=True)
        ]
        both = zip(sums, self.identities(), strict=True)
        return ["np.float64(-0.0)" if is_sum else text for is_sum, text in both]

    def _identity(self, position: int) -> str:
        op, kind = self.ops[position], self.stored[position]
        value = op.identity
        if isinstance(value, tuple):
            value = value[position]
        if value is None:
            value = identity(op.name, np.dtype(bool) if kind == "bool" else dtype_named(kind))
        if kind == "bool":
            return repr(bool(value))
        return f"np.{dtype_named(kind).name}({number_text(value)})"

    def step(self, writer: Writer, locals_: list[str], values: list[str]) -> None:
        """Write the fold of one message into local accumulators."""
        self._step(writer, locals_, values, self.kinds)

    def merge(self, writer: Writer, locals_: list[str], values: list[str]) -> None:
        """Write the fold of other accumulators into local ones."""
        self._step(writer, locals_, values, tuple(self.stored))

    def cast(self, values: list[str], kinds: Sequence[str] | None = None) -> list[str]:
        """Return the texts of a message's components in the types that they are stored in."""
        given = zip(values, kinds or self.kinds, self.stored, strict=True)
        return [cast(value, kind, stored) for value, kind, stored in given]

    def _step(
        self, writer: Writer, locals_: list[str], values: list[str], kinds: tuple[str, ...]
    ) -> None:
        given = self.cast(values, kinds)
        op = self.ops[0]
        if self.whole and op.loc is not None:
            self._user_step(writer, locals_, given)
        elif self.whole:
            sign = "<" if op.name == "min" else ">"
            test = f"({', '.join(given)},) {sign} ({', '.join(locals_)},)"
            with writer.block(f"if {test}:"):
                writer.add(f"{', '.join(locals_)} = {', '.join(given)}")
        else:
            for each, kind, local, value in zip(self.ops, self.stored, locals_, given, strict=True):
                if each.loc is None:
                    _plain_step(writer, each.name, local, value)
                    continue
                name = helper_name(each.function.__name__, (passed(kind),) * 2)
                both = ", ".join(widened(text, kind) for text in (local, value))
                writer.add(f"{local} = {cast(f'{name}({both})', passed(kind), kind)}")

    def _user_step(self, writer: Writer, locals_: list[str], given: list[str]) -> None:
        kinds = tuple(self.stored)
        name = helper_name(self.ops[0].function.__name__, (passed(kinds),) * 2)
        sides = (
            ", ".join(widened(text, kind) for text, kind in zip(each, kinds, strict=True))
            for each in (locals_, given)
        )
        folded = writer.fresh("folded")
        writer.add(f"{folded} = {name}({', '.join(f'({each},)' for each in sides)})")
        for position, (local, kind) in enumerate(zip(locals_, kinds, strict=True)):
            writer.add(f"{local} = {cast(f'{folded}[{position}]', passed(kind), kind)}")

    def helpers(self) -> Iterator[Helper]:
        """Yield the functions of the user's combiners, for the types that they fold."""
        if self.whole:
            if self.ops[0].loc is not None:
                yield folding(self.ops[0].function, tuple(self.stored)).helper
            return
        for op, kind in zip(self.ops, self.stored, strict=True):
            if op.loc is not None:
                yield folding(op.function, kind).helper

    def packed(self, writer: Writer) -> str:
        """Name the array of packed pairs that push folds of tuples use."""
        return writer.scratch(f"v{self.fold.values.id}_packed", "uint64", "V")

    def push(self, writer: Writer, values: list[str], receiver: str) -> None:
        """Write the fold of one message into the receiver's accumulators, atomically."""
        if self.whole:
            first, second = map(ordered, self.kinds, values)
            op = self.ops[0].name
            may_be_nan = self.kinds[0] == "f32"  # NaN wins against nothing, as in a comparison
            with writer.block(f"if {values[0]} == {values[0]}:" if may_be_nan else ""):
                pair = f"pack({first}, {second})"
                writer.add(f"{op}_if(shared, {self.packed(writer)}, {receiver}, {pair})")
            return
        for op, kind, stored, array, value in zip(
            self.ops, self.kinds, self.stored, self.kept.arrays(writer), values, strict=True
        ):
            given = cast(value, kind, stored)
            if op.name in ("any", "all"):
                test = given if op.name == "any" else f"not {given}"
                with writer.block(f"if {test}:"):
                    writer.add(f"{array}[{receiver}] = {int(op.name == 'any')}")
                continue
            word = {"sum": "add", "prod": "mul", "bitwise_or": "or"}.get(op.name, op.name)
            writer.add(f"{word}_if(shared, {array}, {receiver}, {as_stored(given, stored)})")

    def reset(self, writer: Writer, index: str, packed: bool) -> None:
        """Write the start values into a receiver's accumulators."""
        if packed and self.whole:
            first, second = map(ordered, self.kinds, self.starts(writer))
            writer.add(f"{self.packed(writer)}[{index}] = pack({first}, {second})")
        else:
            self.kept.put(writer, index, self.starts(writer))

    def unpack(self, writer: Writer, index: str) -> list[str]:
        """Write the components of a packed pair to locals."""
        names = []
        for position, kind in enumerate(self.kinds):
            name = writer.fresh("folded")
            half = ("high_half", "low_half")[position]
            key = f"{half}({self.packed(writer)}[{index}])"
            writer.add(f"{name} = {unordered(kind, key)}")
            names.append(name)
        return names


def ordered(kind: str, value: str) -> str:
    """Return the text of a value's 32-bit key."""
    return f"order_{WIDENED.get(kind, kind)}({value})"


def unordered(kind: str, key: str) -> str:
    """Return the text of the value of a key."""
    if kind in WIDENED:
        return f"np.{dtype_named(kind).name}(unorder_{WIDENED[kind]}({key}))"
    return f"unorder_{kind}({key})"


def _plain_step(writer: Writer, op: str, local: str, value: str) -> None:
    if op in ("sum", "prod"):
        writer.add(f"{local} = {local} {'+' if op == 'sum' else '*'} {value}")
    elif op in ("any", "all"):
        writer.add(f"{local} = {local} {'or' if op == 'any' else 'and'} {value}")
    elif op == "bitwise_or":
        writer.add(f"{local} = {local} | {value}")
    else:
        sign = "<" if op == "min" else ">"
        with writer.block(f"if {value} {sign} {local}:"):
            writer.add(f"{local} = {value}")


def identity(op: str, dtype: np.dtype[Any]) -> Any:
    """Return what an operator leaves every number as it is with.

    Examples
    --------
    >>> identity("min", np.dtype("int8")), identity("max", np.dtype("f4")), identity("mul", float)
    (127, -inf, 1)
    """
    kind = np.dtype(dtype).kind
    if op in ("min", "max"):
        if kind == "f":
            return np.inf if op == "min" else -np.inf
        if kind == "b":
            return int(op == "min")
        limits = np.iinfo(dtype)
        return int(limits.max if op == "min" else limits.min)
    if op == "and":
        return 1 if kind == "b" else (int(np.iinfo(dtype).max) if kind == "u" else -1)
    return int(op == "mul")
