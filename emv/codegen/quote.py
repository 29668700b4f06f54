"""Quotes: nodes of kernels, written the way they will be read.

``quote("x[k] = y[k] + 1", arrays)`` is the assignment of a sum to an element. A quotation is read
at once, where it is written, and what it says is a tree from then on (as Lisp's backquote, or the
quotations of MetaOCaml: Taha and Sheard, PEPM 1997). A name is an array if it is one of ``arrays``,
and otherwise a local, or something of the module.

Arrays that are called after a user's field are spelled with a mark that no name can have, so that
a field's name cannot be taken for something else; `Writer.use` returns them so.

A program is some hundred quotations, and its first call waits for all of them. So they are a small
part of Python, read by precedence climbing (Richards and Whitby-Strevens, BCPL, 1979): that takes
three fifths of the time of Python's own parser and a walk over its tree. There are spaces around
operators that join two values, comparisons are not chained, and calls have no keywords.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import keyword
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from emv.errors import Loc
from emv.ir import nodes as n
from emv.ir.kernel import Buffer

MARK = "\u0298"  # a letter, so that it reads as a name; no keyboard has it
NOTE = "  # "
HOLE = n.Leave("...")  # for what `filled` puts there
APART = tuple((sign, f" {sign} ") for sign in "()[],:;")  # words of their own
LOOSEST, COMPARES = 0, n.BINDS["=="]
PREFIXES = {sign.strip(): op for op, sign in n.PREFIXES.items()}
JOINS = {op: binds for op, binds in n.BINDS.items() if op not in n.PREFIXES}
SIGNS = "+-~"
CONSTANTS = {"True": True, "False": False, "None": None}

Line: TypeAlias = tuple[int, list[str], str]  # how deep it stands, its words backward, its remark
Opening: TypeAlias = Callable[..., n.Statement]  # a statement, but for what stands in it


class Reader:
    """Reads quotations.

    Parameters
    ----------
    arrays : mapping
        The arrays that names may mean; those of users' fields by their names without the mark.

    Attributes
    ----------
    lines : list of Line
        Those that are left, the next one last.
    words : list of str
        Of the line that is read, those that are left, the next one last.
    """

    def __init__(self, text: str, arrays: Mapping[str, Buffer], loc: Loc | None = None) -> None:
        self.text = text
        self.arrays = arrays
        self.loc = loc
        self.lines = lines_of(text)
        self.words: list[str] = []
        self.note = ""

    # Statements.

    def whole(self) -> n.Block:
        """Return the statements of the whole quotation."""
        made = self.block() if self.lines else ()
        if self.lines:
            raise self.unread("a line that stands where none can")
        return made

    def next_line(self) -> int:
        """Begin the next line; return how deep it stands."""
        depth, self.words, self.note = self.lines.pop()
        return depth

    def block(self) -> n.Block:
        """Read the lines that stand as deep as the next one, with what stands in them."""
        made: list[n.Statement] = []
        depth = self.lines[-1][0]
        while self.lines and self.lines[-1][0] == depth:
            self.next_line()
            if self.words[-1] in ("if", "while", "for"):
                made.append(self.compound(depth))
            else:
                made += self.simple_ones()
        return tuple(made)

    def compound(self, depth: int) -> n.Statement:
        """Read a branch or a loop."""
        opening = self.opening()
        body = self.body(depth)
        if self.lines and self.lines[-1][0] == depth and self.lines[-1][1][-1] in ("elif", "else"):
            self.next_line()
            if self.words[-1] == "elif":
                return opening(body, (self.compound(depth),))
            self.words.pop()
            return opening(body, self.body(depth))
        return opening(body)

    def opening(self) -> Opening:
        """Read what a branch or a loop begins with."""
        at = self.at()
        word = self.words.pop()
        if word == "for":
            name = self.words.pop()
            self.expect("in")
            numbers = self.expression()
            if not isinstance(numbers, n.Call):
                raise self.unread("a loop over what is no call")
            return functools.partial(n.For, name, numbers, **at)
        return functools.partial(n.While if word == "while" else n.If, self.expression(), **at)

    def body(self, depth: int) -> n.Block:
        """Read what stands in a statement, behind it or in deeper lines; it may be nothing."""
        self.expect(":")
        if self.words[-1]:
            return tuple(self.simple_ones())
        return self.block() if self.lines and self.lines[-1][0] > depth else ()

    def simple_ones(self) -> list[n.Statement]:
        """Read the rest of a line."""
        made = self.simple()
        while self.words[-1] == ";":
            self.words.pop()
            made += self.simple()
        self.expect("")
        return made

    def simple(self) -> list[n.Statement]:
        """Read a statement in which no other stands; several targets are an assignment each."""
        word = self.words[-1]
        if word == "...":
            self.words.pop()
            return [HOLE]
        at = self.at()
        if word in ("break", "continue", "pass", "return"):
            self.words.pop()
            value = self.listed() if word == "return" and self.words[-1] not in ("", ";") else None
            return [n.Leave(word, value, **at)]
        targets = [self.listed()]
        while self.words[-1] == "=":
            self.words.pop()
            targets.append(self.listed())
        value = targets.pop()
        for each in targets:  # names that a quotation means as locals
            assert not isinstance(each, n.Array) or isinstance(value, n.Array), (
                f"{each.name} is an array here: a local needs another name"
            )
        if targets:  # the innermost takes the value first, as Python's do not
            return [n.Assign(each, value, **at) for each in reversed(targets)]
        op, sign, rest = self.words[-1].partition("=")
        if sign and op in JOINS and not rest:
            self.words.pop()
            return [n.Assign(value, self.listed(), op, **at)]
        if not isinstance(value, n.Call):
            raise self.unread("a value that nobody takes")
        return [n.Do(value, **at)]

    def at(self) -> dict[str, Any]:
        """Return where a statement came from, and the remark behind it."""
        return {"loc": self.loc, "note": self.note}

    # Expressions.

    def expression(self, least: int = LOOSEST) -> n.Node:
        """Read a value, with the operators that bind at least so tightly."""
        words, left = self.words, self.single()
        while True:
            op = words[-1]
            binds = JOINS.get(op, -1)
            if binds < least:
                return left
            words.pop()
            if op == "if":
                test = self.expression(binds + 1)
                self.expect("else")
                left = n.Apply(op, (left, test, self.expression(binds)))
            elif op in ("and", "or"):
                parts = [left, self.expression(binds + 1)]
                while words[-1] == op:
                    words.pop()
                    parts.append(self.expression(binds + 1))
                left = n.Apply(op, tuple(parts))
            else:
                left = n.Apply(op, (left, self.expression(binds - 1 if op == "**" else binds + 1)))
                if binds == COMPARES == JOINS.get(words[-1]):
                    raise self.unread("a chain of comparisons")

    def single(self) -> n.Node:
        """Read a value without operators, or with one before it."""
        words = self.words
        word = words.pop()
        made: n.Node
        if word == "(":
            made = self.listed()
            self.expect(")")
        elif word in PREFIXES:
            op = PREFIXES[word]
            return n.Apply(op, (self.expression(n.BINDS[op]),))
        elif word[0] in SIGNS:  # as in ``-1``
            words += (word[1:], word[0])
            return self.single()
        elif words[-1] == "(":
            made = self.call(word)
        else:
            buffer = self.arrays.get(word)
            if buffer is not None and not buffer.is_of_user:
                made = n.Array(buffer)
            else:
                made = self.meaning(word)
        while words[-1] == "[":
            words.pop()
            made = n.Item(made, self.index())
            self.expect("]")
        return made

    def meaning(self, word: str) -> n.Node:
        """Return the array of a user's field, the number or the name that a word is."""
        return n.Array(self.arrays[word[1:]]) if word[0] == MARK else meaning(word)

    def call(self, word: str) -> n.Call:
        """Read what a function is given."""
        self.words.pop()
        parts = () if self.words[-1] == ")" else self.several()[0]
        self.expect(")")
        return n.Call(name_of(word), tuple(parts))

    def index(self) -> n.Node:
        """Read what says which element; a slice is the whole."""
        if self.words[-1] != ":":
            return self.listed()
        self.words.pop()
        return n.Name(":")

    def listed(self) -> n.Node:
        """Read a value, or a tuple of several."""
        parts, is_tuple = self.several()
        return n.Group(tuple(parts)) if is_tuple else parts[0]

    def several(self) -> tuple[list[n.Node], bool]:
        """Read values with commas between them; return also whether there are any commas."""
        parts, words = [self.expression()], self.words
        has_commas = words[-1] == ","
        while words[-1] == ",":
            words.pop()
            if words[-1] not in ("", ")", "]", "="):
                parts.append(self.expression())
        return parts, has_commas

    def expect(self, word: str) -> None:
        """Go on behind a word, which must be the next."""
        if self.words[-1] != word:
            raise self.unread(f"{self.words[-1]!r} where {word!r} must be")
        if word:
            self.words.pop()

    def unread(self, why: str) -> ValueError:
        """Return the error of what is no quotation."""
        return ValueError(f"a quotation with {why}: {self.text}")


def lines_of(text: str) -> list[Line]:
    r"""Return the lines of a text, the last first; what is in brackets may go on in the next.

    Examples
    --------
    >>> lines_of("if a: b(c,\n d)  # e")
    [(0, ['', ')', 'd', ',', 'c', '(', 'b', ':', 'a', 'if'], '')]
    """
    made: list[Line] = []
    num_open = 0
    for line in text.split("\n"):
        code, _, note = line.partition(NOTE) if NOTE in line else (line, "", "")
        for sign, apart in APART:
            code = code.replace(sign, apart)
        words = code.split()
        if num_open:
            made[-1][1].extend(words)
        elif words:
            made.append((len(line) - len(line.lstrip(" ")), words, note))
        num_open += sum(map(code.count, "([")) - sum(map(code.count, ")]"))
    for _, words, _ in made:
        words.append("")
        words.reverse()
    made.reverse()
    return made


@functools.lru_cache(maxsize=1 << 14)
def meaning(word: str) -> n.Node:
    """Return the number or the name that a word is.

    Examples
    --------
    >>> meaning("0x10"), meaning("np.inf"), meaning("True")
    (Number(value=16), Name(text='np.inf'), Number(value=True))
    """
    if word in CONSTANTS:
        return n.Number(CONSTANTS[word])
    if word[:1].isdigit():
        return n.Number(ast.literal_eval(word))
    return n.Name(name_of(word))


@functools.lru_cache(maxsize=1 << 14)
def name_of(word: str) -> str:
    """Return a word that is a name, such as ``cuda.threadIdx.x``."""
    if keyword.iskeyword(word) or not all(map(str.isidentifier, word.split("."))):
        raise ValueError(f"a quotation with {word!r}, which is no name")
    return word


def quote(text: str, arrays: Mapping[str, Buffer], loc: Loc | None = None) -> n.Block:
    """Return the statements that a quotation says.

    Examples
    --------
    >>> quote("x[k] += 1  # a remark", {"x": Buffer("x", "scratch")})[0].note
    'a remark'
    """
    return Reader(text, arrays, loc).whole()


def opened(head: str, arrays: Mapping[str, Buffer], loc: Loc | None = None) -> Opening:
    """Return the branch or loop that a quotation begins, to be given what stands in it.

    Examples
    --------
    >>> opened("while x < 3:", {})(quote("x += 1", {})).body[0].op
    '+'
    """
    reader = Reader(head, arrays, loc)
    reader.next_line()
    return reader.opening()


def quoted(text: str, arrays: Mapping[str, Buffer]) -> n.Node:
    """Return the expression that a quotation says."""
    reader = Reader(text, arrays)
    reader.next_line()
    made = reader.listed()
    reader.expect("")
    return made


def filled(block: n.Block, inner: n.Block) -> n.Block:
    """Return a quotation with other statements where it says ``...``."""
    made: list[n.Statement] = []
    for each in block:
        match each:
            case n.If(_, then, otherwise):
                each = dataclasses.replace(
                    each, then=filled(then, inner), otherwise=filled(otherwise, inner)
                )
            case n.While(_, body) | n.For(_, _, body):
                each = dataclasses.replace(each, body=filled(body, inner))
        made += inner if each is HOLE else [each]
    return tuple(made)
