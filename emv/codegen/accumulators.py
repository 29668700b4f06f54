"""What is folded of a receiver's messages: in locals, and in arrays where several threads fold.

A thread folds in accumulators. Where many threads share the arcs or messages of one receiver, each
leaves a part, an entry of some arrays, and the parts are folded afterwards, in their order.
"""

from __future__ import annotations

from collections.abc import Callable

from emv.codegen.folding import ComponentArrays, FoldText
from emv.codegen.launch import LaunchText
from emv.codegen.writer import Writer
from emv.ir import body as b

Texts = list[list[str]]  # of each fold, of each of its components


class Accumulators:
    """The folds of one receiver in locals.

    Parameters
    ----------
    writer : Writer
        Of the function that folds.
    folds : list of FoldText
        What is folded.
    tracks : bool
        Whether the local ``received`` says that there was a message.
    stem : str
        What the locals are called.

    Attributes
    ----------
    names : list of list of str
        The locals.
    """

    def __init__(
        self, writer: Writer, folds: list[FoldText], tracks: bool = False, stem: str = "fold"
    ) -> None:
        self.writer, self.folds, self.tracks = writer, folds, tracks
        self.names = [
            [f"{stem}{number}_{k}" for k in range(len(fold.stored))]
            for number, fold in enumerate(folds)
        ]

    def map(self, make: Callable[[str, str], str]) -> Texts:
        """Return what is made of each local and the type it is stored in."""
        return [
            [make(name, kind) for name, kind in zip(names, fold.stored, strict=True)]
            for names, fold in zip(self.names, self.folds, strict=True)
        ]

    def let(self, values: Texts) -> None:
        """Write that the locals hold some values."""
        for names, texts in zip(self.names, values, strict=True):
            for name, text in zip(names, texts, strict=True):
                self.writer.add(f"{name} = {text}")

    def start(self) -> None:
        """Write the start values."""
        self.let([fold.starts(self.writer) for fold in self.folds])
        self.forget()

    def start_part(self) -> None:
        """Write the start values of a part: ``initial=`` counts once for each receiver."""
        self.let([fold.identities() for fold in self.folds])
        self.forget()

    def forget(self) -> None:
        """Write that nothing was received yet."""
        if self.tracks:
            self.writer.add("received = False")

    def step(self, values: list[str]) -> None:
        """Write the fold of one message."""
        for fold, names in zip(self.folds, self.names, strict=True):
            fold.step(self.writer, names, values)
        if self.tracks:
            self.writer.add("received = True")

    def step_if(self, test: str, values: list[str]) -> None:
        """Write the fold of one message if a test holds, without a branch."""
        for fold, names in zip(self.folds, self.names, strict=True):
            given = [self.writer.fresh("given") for _ in values]
            for name, value, nothing in zip(given, fold.cast(values), fold.nothing(), strict=True):
                self.writer.add(f"{name} = {value}\n{name} = chosen({test}, {name}, {nothing})")
            fold.step(self.writer, names, given)

    def take(self, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        """Write the fold of a message, where it is sent."""
        self.step(values)

    def merge(self, values: Texts) -> None:
        """Write the fold of other accumulators behind these."""
        for fold, names, texts in zip(self.folds, self.names, values, strict=True):
            fold.merge(self.writer, names, texts)

    def keep(self, index: str) -> None:
        """Write the folds to the arrays of what is kept of receivers."""
        for fold, names in zip(self.folds, self.names, strict=True):
            fold.kept.put(self.writer, index, names)

    def finish(self, index: str) -> None:
        """Write what becomes of the parts of a receiver, all folded; ``initial=`` counts once."""
        with self.writer.block("if received:"):
            for fold, names in zip(self.folds, self.names, strict=True):
                whole = names
                if fold.fold.initial is not None:
                    whole = [f"whole_{name}" for name in names]
                    for name, value in zip(whole, fold.starts(self.writer), strict=True):
                        self.writer.add(f"{name} = {value}")
                    fold.merge(self.writer, whole, names)
                fold.kept.put(self.writer, index, whole)


def accumulators_of(text: LaunchText, writer: Writer) -> Accumulators:
    """Return the accumulators of one of a launch's receivers.

    Who receives must be known to whoever does not run otherwise, and where a start value is none
    that merges like nothing at all.
    """
    own = any(op.loc is not None for fold in text.folds for op in fold.ops)
    tracks = own or not text.everyone or any(fold.whole for fold in text.folds)
    return Accumulators(writer, text.folds, tracks)


class Parts:
    """Arrays of folds of parts of what receivers are sent.

    Parameters
    ----------
    text : LaunchText
        Whose messages are folded.
    writer : Writer
        Of the function that has parts.
    stem : str
        What the arrays are called, before the launch's number.
    size : str
        How many parts there may be.
    """

    def __init__(self, text: LaunchText, writer: Writer, stem: str, size: str) -> None:
        self.writer, self.size = writer, size
        self.name = f"{stem}{text.launch.number}"
        self.folds = [
            ComponentArrays.of(f"{self.name}_{number}", fold.stored, size)
            for number, fold in enumerate(text.folds)
        ]

    @property
    def received(self) -> str:
        """Name the array that says which parts a message is in."""
        return self.writer.scratch(f"{self.name}_received", "uint8", self.size)

    @property
    def rows(self) -> str:
        """Name the array that says whose parts they are, -1 where it is nobody's."""
        return self.writer.scratch(f"{self.name}_row", "int64", self.size)

    def put(self, folded: Accumulators, at: str) -> None:
        """Write accumulators to a part."""
        for part, names in zip(self.folds, folded.names, strict=True):
            part.put(self.writer, at, names)
        if folded.tracks:
            self.writer.add(f"{self.received}[{at}] = 1 if received else 0")

    def leave(self, folded: Accumulators, at: str) -> None:
        """Write accumulators of receiver ``row`` to a part."""
        self.writer.add(f"{self.rows}[{at}] = row")
        self.put(folded, at)

    def read(self, at: str) -> Texts:
        """Return the texts of a part."""
        return [part.read(self.writer, at) for part in self.folds]

    def merge(self, folded: Accumulators, at: str) -> None:
        """Write the fold of a part behind what is folded already."""
        has_any = f"if {self.received}[{at}] != 0:" if folded.tracks else ""
        with self.writer.block(has_any):
            if folded.tracks:
                self.writer.add("received = True")
            folded.merge(self.read(at))
