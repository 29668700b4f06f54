"""Expressions of a body as Python text that numba compiles to the language's arithmetic.

numba's own promotion differs from the language's (an f32 meeting an integer would become f64, two
unsigned integers would wrap), so casts are written wherever the two would part. Integers count in
64 bits; unsigned ids stay as loaded while they only index, because numba needs no sign test then.
"""

from __future__ import annotations

import functools
from typing import Any

from emv.codegen.place import Place
from emv.codegen.writer import Writer
from emv.dtypes import dtype_named
from emv.ir import body as b
from emv.lang.draws import NAMED, call_code
from emv.lang.promote import arithmetic, is_float, natural

NARROW = ("i8", "u8", "i16", "u16", "i32", "u32")  # types that count in 64 bits
MOST_SQUARED = 2**16  # numba computes powers above it as floats
OWN = ("own", "link", "dst")  # roles of who alone writes an own column; the receiver is "dst"


def cast(text: str, given: Any, wanted: Any) -> str:
    """Return the text converted from one type to another; ``int`` and ``float`` are plain.

    Numbers without a sign are widened where they are reckoned with: two of them are one of 64 bits
    without a sign for numba, which with one that has a sign is a float.
    """
    if isinstance(wanted, tuple):
        return text
    have, need = natural(given), natural(wanted)
    if wanted in ("int", "i64") and given in ("u8", "u16", "u32"):
        return widened(text, given)
    if is_float(given) and need in ("i64", "u64"):
        text = f"{'whole' if need == 'i64' else 'whole_u64'}({text})"
        have = need
    if wanted not in ("int", "id", "i64", "float") and need == "i64":
        return f"np.{dtype_named(wanted).name}({text})"
    if have == need:
        return text
    if need == "bool":
        return f"({text} != 0)"
    return f"np.{dtype_named(need).name}({text})"


def widened(text: str, kind: Any) -> str:
    """Return the text of a value as a number of 64 bits, if it may have fewer."""
    is_narrow = kind in NARROW and not text.startswith("np.int64(")
    return f"np.int64({text})" if is_narrow else text


def held(text: str, kind: Any) -> str:
    """Return the text of a computed value as a row of its type holds it."""
    return f"np.{dtype_named(kind).name}({text})" if kind in NARROW else text


def divides_plainly(expr: b.Expr) -> bool:
    """Return whether all targets agree on a division by an expression: by no 0 and no -1."""
    return isinstance(expr, b.Const) and expr.value not in (0, -1)


def is_between(expr: b.Expr, low: int, high: int) -> bool:
    """Return whether an expression is a number known to lie within bounds."""
    return isinstance(expr, b.Const) and bool(low <= expr.value <= high)


def may_be_negative(expr: b.Expr) -> bool:
    """Return whether an integer can be below zero, where it is less than any u64."""
    if isinstance(expr, b.Const):
        return bool(expr.value < 0)
    return expr.type not in ("u8", "u16", "u32", "u64", "bool")


def as_stored(text: str, kind: Any) -> str:
    """Return a value's text as an array holds it: truth values as bytes."""
    return f"np.uint8({text})" if kind == "bool" else text


def as_read(element: str, kind: Any) -> str:
    """Return the text of an array's element as a value: bytes as truth values."""
    return f"({element} != 0)" if kind == "bool" else element


def number_text(value: Any) -> str:
    """Return a number as Python writes it; infinities have no literal."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return {"inf": "math.inf", "-inf": "(-math.inf)"}.get(repr(value), "math.nan")
    return repr(value)


def helper_name(name: str, kinds: tuple[Any, ...]) -> str:
    """Return what a plain function of the user's is called in kernels for arguments of some types.

    Examples
    --------
    >>> helper_name("near", ("f32", "i64")), helper_name("first", (("i64", "f32"),) * 2)
    ('user_near__f32_i64', 'user_first__i64_f32_i64_f32')
    """
    flat = (part for each in kinds for part in (each if isinstance(each, tuple) else (each,)))
    return f"user_{name}__{'_'.join(map(str, flat))}"


class ExpressionText:
    """Writes the expressions of one body at one place."""

    def __init__(self, writer: Writer, place: Place, function: str) -> None:
        self.writer = writer
        self.place = place
        self.function = function

    def text(self, expr: b.Expr, wanted: Any = None) -> str:
        """Return an expression's text, converted to a type if one is wanted."""
        made: str = getattr(self, f"text_{type(expr).__name__}")(expr)
        return made if wanted is None else self.converted(made, expr, wanted)

    def converted(self, made: str, expr: b.Expr, wanted: Any) -> str:
        """Return the text of an expression as another type; constants are written as such."""
        if isinstance(wanted, tuple):
            if isinstance(expr, b.Tuple):
                items = [self.text(i, w) for i, w in zip(expr.items, wanted, strict=True)]
            else:
                local = made
                items = [
                    cast(f"{local}[{k}]", given, w)
                    for k, (given, w) in enumerate(zip(expr.type, wanted, strict=True))
                ]
            return f"({', '.join(items)},)"
        return cast(made, expr.type, wanted)

    def text_Const(self, expr: b.Const) -> str:
        """Write a number; infinities have no literal."""
        text = number_text(expr.value)
        if "math." in text:
            return text
        if expr.type in ("f32", "f64", "u64"):
            return f"np.{dtype_named(str(expr.type)).name}({text})"
        return f"({text})" if text.startswith("-") else text

    def text_Local(self, expr: b.Local) -> str:
        """Write a local."""
        return f"{self.place.prefix}{expr.name}"

    def text_Load(self, expr: b.Load) -> str:
        """Write a field."""
        hoisted = self.place.hoisted.get((expr.element.role, expr.field))
        if hoisted is not None:
            return hoisted
        return self.load(expr.element, expr.field, str(expr.type))

    def load(self, element: b.Element, name: str, kind: str) -> str:
        """Write the read of a column."""
        array, index = self.column(element, name, kind)
        foreign = self.place.fresh.get((element.kind, name))
        is_fresh = foreign or (foreign is not None and element.role not in OWN)
        text = as_read(self.now(array, index) if is_fresh else f"{array}[{index}]", kind)
        return f"np.int64({text})" if kind in ("u8", "u16", "u32") else text

    def now(self, array: str, index: str) -> str:
        """Return the text of what an array holds while others change it.

        Who looks for the first time may find what was there before, as it will look again.
        """
        looks = self.place.first_look
        if looks == "True":
            return f"early({array}, {index})"
        now = f"fresh({array}, {index})"
        return f"(early({array}, {index}) if {looks} else {now})" if looks else now

    def column(self, element: b.Element, name: str, kind: str) -> tuple[str, str]:
        """Return the array and index text of a field as it is read."""
        place, key, copies = self.place, (element.kind, name), self.writer.copies
        dtype = dtype_named(kind).name
        if element.role == "own" and key in place.own_only:
            return self.writer.next_column(*key, dtype), self.index(element)
        if element.kind == "vertex" or element.role == "far":
            return self.writer.column(*key, dtype), copies.index(key, self.index(element))
        order, position = place.edge[element.role]
        if key in place.written or order == "edge":
            return self.writer.column(*key, dtype), self.edge_id(element)
        return self.writer.column(*key, dtype, order), position

    def index(self, element: b.Element) -> str:
        """Return the text of an element's row."""
        if element.role == "far":
            inside = self.text(element.index, "int")  # type: ignore[arg-type]
            if element.kind == "vertex":
                return self.named(inside)
            return f"checked({inside}, state[NUM_EDGES], state, BAD_INDEX)"
        if element.kind == "vertex":
            return self.place.vertex[element.role]
        return self.edge_id(element)

    def named(self, vertex: str) -> str:
        """Return the text of the id of a vertex that the user names by its number."""
        copies = self.writer.copies
        count = copies.count("state[NUM_VERTICES]")
        checked = f"checked({vertex}, {count}, state, BAD_INDEX)"
        return copies.like(checked, self.place.copy) if copies.shift else checked

    def edge_id(self, element: b.Element) -> str:
        """Return the text of an edge's id, looked up from its arc or slot."""
        order, position = self.place.edge[element.role]
        if order == "edge":
            return position
        return f"{self.writer.graph(f'edge_of_{order}')}[{position}]"

    def text_Attribute(self, expr: b.Attribute) -> str:
        """Write an id or a degree."""
        element, name = expr.element, expr.name
        index = self.index(element)
        if element.kind == "vertex":
            index = self.writer.copies.vertex(index)
        if name == "id":
            if element.kind == "edge":
                index = self.writer.number_of("edge", index)
            return f"np.int64({index})"
        if name in ("src", "dst"):
            return f"np.int64({self.writer.graph(f'{name}_of_edge')}[{index}])"
        first = self.writer.offsets(name.removesuffix("_degree"))
        return f"(np.int64({first}[np.int64({index}) + 1]) - np.int64({first}[{index}]))"

    def text_Binary(self, expr: b.Binary) -> str:
        """Write an arithmetic operation in the language's type."""
        kind, op = str(expr.type), expr.op
        operand = {"f32": "f32", "f64": "f64", "float": "f64", "u64": "u64"}.get(kind)
        if operand is None and kind != "bool":
            operand = "int"
        left, right = self.text(expr.left, operand), self.text(expr.right, operand)
        if op in ("//", "%") and is_float(expr.type):
            return f"{'float_divided' if op == '//' else 'float_remainder'}({left}, {right})"
        if operand == "int" and op in ("//", "%") and not divides_plainly(expr.right):
            return f"{'divided' if op == '//' else 'remainder'}({left}, {right})"
        if op in ("<<", ">>") and not is_between(expr.right, 0, 63):
            right_word = "shifted_right_u64" if operand == "u64" else "shifted_right"
            return f"{'shifted_left' if op == '<<' else right_word}({left}, {right})"
        if operand in ("int", "u64") and op == "**" and not is_between(expr.right, 0, MOST_SQUARED):
            return self.power(left, right, str(operand))
        return f"({left} {op} {right})"

    def power(self, base: str, exponent: str, operand: str) -> str:
        """Write a power of whole numbers; a negative one is 0, since it is no whole number."""
        if operand == "u64":
            return f"power({base}, {exponent})"
        made = f"np.int64(power(np.uint64({base}), np.uint64({exponent})))"
        return f"({made} if {exponent} >= 0 else 0)"

    def text_Unary(self, expr: b.Unary) -> str:
        """Write a unary operation."""
        if expr.op == "not":
            return f"(not {self.text(expr.operand, 'bool')})"
        operand = self.text(expr.operand, natural(expr.type))
        return f"({expr.op}{widened(operand, expr.operand.type) if expr.op == '-' else operand})"

    def text_Compare(self, expr: b.Compare) -> str:
        """Write a comparison in the common type of its sides."""
        left, right = expr.left.type, expr.right.type
        if isinstance(left, tuple) or isinstance(right, tuple):
            return f"({self.text(expr.left)} {expr.op} {self.text(expr.right)})"
        common = arithmetic("+", left, right) if "bool" not in (left, right) else None
        if left == right == "bool" or common is None:
            common = None
        elif not is_float(common) and common != "u64":
            common = "int"
        compared = f"({self.text(expr.left, common)} {expr.op} {self.text(expr.right, common)})"
        signed = [e for e in (expr.left, expr.right) if common == "u64" and may_be_negative(e)]
        if not signed:
            return compared
        below = expr.op in (("<", "<=", "!=") if signed[0] is expr.left else (">", ">=", "!="))
        sign, word = ("< 0", "or") if below else (">= 0", "and")
        return f"({self.text(signed[0], 'int')} {sign} {word} {compared})"

    def text_Logic(self, expr: b.Logic) -> str:
        """Write ``and`` / ``or``."""
        return "(" + f" {expr.op} ".join(self.text(each) for each in expr.parts) + ")"

    def text_Choose(self, expr: b.Choose) -> str:
        """Write a conditional expression; both sides get its type."""
        wanted = natural(expr.type) if not isinstance(expr.type, tuple) else expr.type
        yes, no = self.text(expr.yes, wanted), self.text(expr.no, wanted)
        return f"({yes} if {self.text(expr.condition)} else {no})"

    def text_ChooseBoth(self, expr: b.ChooseBoth) -> str:
        """Write a choice without a branch, on cores."""
        yes, no = (self.text(each, natural(expr.type)) for each in (expr.yes, expr.no))
        return f"chosen({self.text(expr.condition)}, {yes}, {no})"

    def text_Tuple(self, expr: b.Tuple) -> str:
        """Write a tuple."""
        return f"({', '.join(self.text(each) for each in expr.items)},)"

    def text_Item(self, expr: b.Item) -> str:
        """Write a component of a tuple."""
        return f"{self.text(expr.whole)}[{expr.position}]"

    def text_Part(self, expr: b.Part) -> str:
        """Write a part of a vector at a computed index."""
        size, index = len(expr.whole.type), self.text(expr.index, "int")
        from_start = f"({index} + {size} if {index} < 0 else {index})"
        return f"{self.text(expr.whole)}[checked({from_start}, {size}, state, BAD_INDEX)]"

    def text_Random(self, expr: b.Random) -> str:
        """Write a draw."""
        if expr.name:
            element, turn = (self.text(each, "int") for each in expr.name)
            return f"uniform(state[SEED], {turn}, {element}, {NAMED})"
        code = call_code(self.function, expr.call)
        rest = f"state[SEED], state[SUPERSTEPS], {self.place.element}, {code}"
        if expr.bound is None:
            return f"uniform({rest})"
        return f"below({self.text(expr.bound, 'int')}, {rest})"

    def text_OutArc(self, expr: b.OutArc) -> str:
        """Write where an out-arc of a vertex leads, or the edge it belongs to."""
        graph, row = self.writer.graph, self.writer.copies.vertex(self.index(expr.element))
        begin = f"np.int64({graph('first_out')}[{row}])"
        degree = f"np.int64({graph('first_out')}[np.int64({row}) + 1]) - {begin}"
        number = f"checked({self.text(expr.index, 'int')}, {degree}, state, BAD_INDEX)"
        array = graph("dst_of_arc" if expr.what == "dst" else "edge_of_arc")
        last = "max(state[NUM_ARCS] - 1, 0)"  # a vertex without arcs, the last, has none to read
        return f"np.int64({array}[min({begin} + {number}, {last})])"

    def text_Find(self, expr: b.Find) -> str:
        """Write the representative: sets are flat between calls, so it is one read."""
        array = self.writer.column("vertex", expr.field, "int64")
        return f"{array}[{self.index(expr.element)}]"

    def text_HelperCall(self, expr: b.HelperCall) -> str:
        """Write a call of a plain function of the user's."""
        both = zip(expr.args, expr.kinds, strict=True)
        inside = ", ".join(widened(self.text(each, kind), each.type) for each, kind in both)
        return f"{helper_name(expr.helper, expr.kinds)}({inside})"

    def text_Call(self, expr: b.Call) -> str:
        """Write a call of a known function."""
        name, args = expr.name, expr.args
        if name == "len:edges":
            own = b.Element("vertex", "own", None)
            return self.text_Attribute(b.Attribute("i64", expr.loc, own, "out_degree"))
        if name == "len:messages":
            return str(self.place.hearing.length)
        if name.startswith("cast:"):
            return self.cast_to(name.removeprefix("cast:"), args[0])
        if name in ("abs", "min", "max"):
            parts = [self.text(each, natural(expr.type)) for each in args]
            if name == "abs":
                parts = [widened(parts[0], args[0].type)]
            if name != "abs" and is_float(expr.type):
                word = "smaller" if name == "min" else "larger"
                return functools.reduce(lambda made, part: f"{word}({made}, {part})", parts)
            return f"{name}({', '.join(parts)})"
        if name == "bit_count":  # of a negative number Python counts those of its size
            inside = self.text(args[0], natural(args[0].type))
            return f"bit_count({f'abs({inside})' if may_be_negative(args[0]) else inside})"
        if name == "gcd":
            found = f"divisor({', '.join(self.text(each, natural(expr.type)) for each in args)})"
            return found if expr.type == "u64" else f"np.int64({found})"
        if name in ("floor", "ceil", "trunc", "round"):
            return self.rounded(name, args[0])
        operand = natural(expr.type) if expr.type != "bool" else None
        inside = ", ".join(self.text(each, operand) for each in args)
        return f"math.{name}({inside})"

    def cast_to(self, kind: str, expr: b.Expr) -> str:
        """Write a cast: a narrow whole number keeps the low bits, and counts in 64 again."""
        made = cast(self.text(expr), expr.type, kind)
        return widened(made, kind) if natural(kind) == "i64" and kind != "i64" else made

    def rounded(self, name: str, expr: b.Expr) -> str:
        """Write a float as a whole number near it; a whole number is one."""
        made = self.text(expr)
        if not is_float(expr.type):
            return f"np.int64({made})"
        word = {"floor": "floored", "ceil": "raised"}.get(name, "whole")
        return f"{word}(rint({made}))" if name == "round" else f"{word}({made})"
