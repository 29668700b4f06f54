"""Functions of kernels as Python text: the last step, which decides nothing.

The user's file and line stand behind every line made of one of theirs. A local that has an array's
name gets another one here, so that whatever users call their fields, no two things share a name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from emv.codegen.state import name_in
from emv.errors import Loc, shown_path
from emv.ir import nodes as n
from emv.ir.nodes import BINDS, PREFIXES

WIDTH = 100  # columns of a line, without the user's place behind it
MOST = 120  # columns with it
PLACE_AT = 72  # the column of the user's place
INDENT = "    "
BRACKETS = frozenset("()[]")

LOOSEST, COMPARES, TIGHTEST = 0, BINDS["=="], 14

Line = tuple[str, "Loc | None"]


class Printer:
    """Writes one function.

    Parameters
    ----------
    function : Function
        What it does.
    """

    def __init__(self, function: n.Function) -> None:
        self.function = function
        self.taken = {*function.arrays}
        self.others: dict[str, str] = {}  # what locals are called that have an array's name
        self.lines: list[Line] = []
        self.places: dict[str, int] = {}  # of launches and loops, that were named

    def write(self) -> list[Line]:
        """Return the lines, each with the user's place that it came from."""
        function = self.function
        if function.decorator:
            self.lines.append((function.decorator, None))
        self.put(0, f"def {function.name}({', '.join(function.parameters)}):")
        self.block(function.body, 1)
        return self.lines

    # Statements.

    def block(self, block: n.Block, depth: int) -> None:
        """Write a block; one with nothing in it gets ``pass``."""
        for each in block:
            self.statement(each, depth)
        if not block:
            self.put(depth, "pass")

    def statement(self, node: Any, depth: int, prefix: str = "") -> None:
        """Write a statement."""
        loc, note = node.loc, node.note
        match node:
            case n.Assign(target, value, op):
                text = self.node(value) if not isinstance(value, n.Group) else self.bare(value)
                self.put(depth, f"{self.bare(target)} {op}= {text}", loc, note)
            case n.Do(call):
                self.put(depth, self.node(call), loc, note)
            case n.If(test, then, otherwise):
                self.put(depth, f"{prefix}if {self.node(test)}:", loc, note)
                self.block(then, depth + 1)
                if len(otherwise) == 1 and isinstance(otherwise[0], n.If):
                    self.statement(otherwise[0], depth, "el")
                elif otherwise:
                    self.put(depth, "else:")
                    self.block(otherwise, depth + 1)
            case n.While(test, body):
                self.put(depth, f"while {self.node(test)}:", loc, note)
                self.block(body, depth + 1)
            case n.For(name, span, body):
                self.put(depth, f"for {self.local(name)} in {self.node(span)}:", loc, note)
                self.block(body, depth + 1)
            case n.Leave(word, value):
                text = "" if value is None else f" {self.bare(value)}"
                self.put(depth, f"{word}{text}", loc, note)

    def put(self, depth: int, code: str, loc: Loc | None = None, note: str = "") -> None:
        """Write a line, broken if it is long, with the user's place or a remark behind it."""
        loc = loc if loc is not None and loc.line else None
        behind = f"  # {note}" if note else ""
        place = f"  # {shown_name(loc.file)}:{loc.line}" if loc is not None else ""
        width = min(WIDTH, MOST - len(behind) - len(place)) - len(INDENT) * depth
        first, *rest = broken(code, width)
        text = INDENT * depth + first + behind
        if place:
            text = f"{text:<{min(PLACE_AT, MOST - len(place))}}{place}"
        self.lines.append((text, loc))
        self.lines += [(INDENT * depth + each, loc) for each in rest]

    # Expressions.

    def node(self, node: Any, outer: int = LOOSEST) -> str:
        """Return an expression; in parentheses where what is around it binds tighter."""
        kind = type(node)
        if kind is n.Name:
            text: str = node.text
            return text if text not in self.taken else self.local(text)
        if kind is n.Array:
            name: str = node.buffer.name
            return name
        if kind is n.Number:
            text = repr(node.value)
            return f"({text})" if text[0] == "-" and outer > BINDS["neg"] else text
        if kind is n.Item:
            return self.item(node)
        if kind is n.Call:
            return f"{node.function}({', '.join(self.arguments(node.parts))})"
        if kind is n.Apply:
            text = self.applied(node.op, node.parts)
            return f"({text})" if BINDS[node.op] < outer else text
        assert kind is n.Group, node
        return f"({self.bare(node)})" if len(node.parts) != 1 else f"({self.node(node.parts[0])},)"

    def item(self, node: n.Item) -> str:
        """Return an element."""
        if isinstance(node.whole, n.Array) and isinstance(node.index, n.Number):
            name = node.whole.buffer.name
            return f"{name}[{self.place(name, node.index.value)}]"
        return f"{self.node(node.whole, TIGHTEST)}[{self.bare(node.index)}]"

    def applied(self, op: str, parts: tuple[Any, ...]) -> str:
        """Return an operator applied to its parts."""
        binds = BINDS[op]
        if op == "if":
            yes, test, no = parts
            return f"{self.node(yes, 2)} if {self.node(test, 2)} else {self.node(no, 1)}"
        if op in PREFIXES:
            return f"{PREFIXES[op]}{self.node(parts[0], binds)}"
        if op in ("and", "or"):
            return f" {op} ".join(self.node(each, binds + 1) for each in parts)
        if op == "**":
            return f"{self.node(parts[0], binds + 1)} ** {self.node(parts[1], BINDS['neg'])}"
        left = self.node(parts[0], binds + (binds == COMPARES))
        return f"{left} {op} {self.node(parts[1], binds + 1)}"

    def arguments(self, parts: tuple[Any, ...]) -> Iterator[str]:
        """Yield what a call is given; behind an array whose places have names come places of it."""
        array = ""
        for part in parts:
            kind = type(part)
            if kind is n.Array:
                array = part.buffer.name
                yield array
            elif kind is n.Number and isinstance(part.value, int):
                yield self.place(array, part.value)
            else:
                yield self.node(part)

    def place(self, array: str, number: int) -> str:
        """Return the name of a place of an array, or its number."""
        name = name_in(array, number)
        if name is None:
            return repr(number)
        self.places[name] = number
        return name

    def bare(self, node: Any) -> str:
        """Return an expression that stands alone; a tuple goes without parentheses there."""
        if isinstance(node, n.Group) and len(node.parts) > 1:
            return ", ".join(map(self.node, node.parts))
        return self.node(node)

    def local(self, text: str) -> str:
        """Return the name of a local: its own, unless an array has it."""
        if text not in self.taken:
            return text
        if text in self.function.first:  # a parameter
            return text
        if text not in self.others:
            number = 2
            while f"{text}_{number}" in self.taken:
                number += 1
            self.others[text] = f"{text}_{number}"
            self.taken.add(self.others[text])
        return self.others[text]


@functools.cache
def file_name(path: str) -> str:
    """Return the last part of a path."""
    return PurePath(path).name


@functools.cache
def shown_name(path: str) -> str:
    """Return the last part of a path as it may stand in a remark."""
    return shown_path(file_name(path))


def broken(code: str, width: int) -> list[str]:
    """Return a line of code as lines that are not too long, broken behind commas and at words.

    Examples
    --------
    >>> broken("total = add(first, second, third)", 24)
    ['total = add(first,', '        second, third)']
    """
    if len(code) <= width or "(" not in code:
        return [code]
    made, start, end = [], 0, 0
    indent, space = "", width
    for at in breaks(code):
        if at - start > space and end > start:
            made.append(indent + code[start:end].strip())
            start, indent, space = end, INDENT * 2, width - 8
        end = at
    if len(code) - start > space and end > start:
        made.append(indent + code[start:end].strip())
        start, indent = end, INDENT * 2
    return [*made, indent + code[start:].strip()]


def breaks(code: str) -> Iterator[int]:
    """Yield the places where a line may go on in the next: in brackets, where a word ends."""
    depth = at = 0
    for word in code.split(" "):
        for place, letter in enumerate(word if BRACKETS & {*word} else ""):
            depth += (letter in "([") - (letter in ")]")
            if letter in "([" and depth == 1:
                yield at + place + 1
        at += len(word) + 1
        if depth and at <= len(code):
            yield at


def module_of(head: str, functions: list[n.Function]) -> tuple[str, dict[int, tuple[str, int]]]:
    """Return the text of a module, and which of its lines came from which of the user's.

    Parameters
    ----------
    head : str
        What stands before the functions.
    """
    printers = [Printer(each) for each in functions]
    written = [each.write() for each in printers]
    own = {name: place for each in printers for name, place in each.places.items()}
    places: dict[int, tuple[str, int]] = {}
    lines = head.split("\n")
    lines += ["", *(f"{name} = {place}" for name, place in sorted(own.items(), key=itemgetter(1)))]
    for function in written:
        lines += ["", ""]
        for text, loc in function:
            lines.append(text)
            if loc is not None:
                places[len(lines)] = (file_name(loc.file), loc.line)
    return "\n".join(lines) + "\n", places
