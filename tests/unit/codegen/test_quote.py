"""Quotations say what Python says: its own parser is the oracle for what is read and printed."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from algorithm_arguments import MANY_CASES
from hypothesis import given
from hypothesis import strategies as st

from emv.algorithms import ALGORITHMS
from emv.codegen import quote as reading
from emv.codegen.printer import Printer
from emv.codegen.quote import MARK, opened, quote, quoted
from emv.ir import nodes as n
from emv.ir.kernel import Buffer
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import compile_program

NAMES = st.sampled_from(["a", "k_1", "np.inf", "cuda.threadIdx.x", "größe"])
NUMBERS = st.one_of(st.integers(0, 2**64), st.floats(0, allow_nan=False, allow_infinity=False))
BINARY = "+ - * / // % ** << >> | ^ & == != < <= > >=".split()


def inside(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return expressions made of others; comparisons in brackets, as they are not chained."""
    pairs = st.tuples(inner, st.sampled_from(BINARY), inner)
    lists = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        pairs.map(lambda each: f"{each[0]} {each[1]} {each[2]}" if "=" not in each[1] else ""),
        pairs.map(lambda each: f"({each[0]} {each[1]} {each[2]})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner, inner).map(
            lambda each: f"{each[0]} {each[1]} {each[2]} {each[1]} {each[3]}"
        ),
        st.tuples(inner, inner, inner).map(lambda each: f"{each[0]} if {each[1]} else {each[2]}"),
        st.tuples(st.sampled_from(["-", "~", "not "]), inner).map(
            lambda each: f"{each[0]}({each[1]})"
        ),
        inner.map(lambda each: f"-{each}"),
        st.tuples(NAMES, lists).map(lambda each: f"{each[0]}({', '.join(each[1])})"),
        st.tuples(NAMES, inner).map(lambda each: f"{each[0]}[{each[1]}]"),
        lists.map(lambda each: f"({', '.join(each)},)"),
    ).filter(is_python)


def is_python(text: str) -> bool:
    """Return whether Python reads a text, and it has no chained comparison in it."""
    try:
        tree = ast.parse(f"({text})")
    except SyntaxError:
        return False
    chains = (isinstance(each, ast.Compare) and len(each.ops) > 1 for each in ast.walk(tree))
    return text != "" and not any(chains)


def printed(block: n.Block) -> str:
    lines = Printer(n.Function("f", "", (), (), block)).write()
    return "\n".join(line for line, _ in lines)


def said(text: str) -> str:
    """Return what Python takes a text for, places and remarks apart."""
    return ast.dump(ast.parse(text))


@given(st.recursive(st.one_of(NAMES, NUMBERS.map(repr)), inside, max_leaves=6))
def test_expressions_are_read_as_python_reads_them(text):
    assert said(printed((n.Assign(n.Name("x"), quoted(text, {})),))) == said(
        f"def f():\n    x = ({text})"
    )


def quotations_of(name: str, target: str, monkeypatch: Any) -> set[str]:
    """Return every quotation that the kernels of an algorithm are made of."""
    found = set[str]()

    class Listening(reading.Reader):
        def whole(self) -> n.Block:
            found.add(self.text)
            return super().whole()

    monkeypatch.setattr(reading, "Reader", Listening)
    page = ALGORITHMS[name]
    given_ = {"source": 0, "seeds": [0]}
    named = {each: given_[each] for each in given_ if each in page.python.__code__.co_varnames}
    arguments = sort_arguments(page.python, page.bind, (), named)
    compile_program(page.python, page.bind, arguments, page.loc, False, target)
    return found


@pytest.mark.parametrize("name", MANY_CASES)
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_quotations_of_kernels_are_read_as_python_reads_them(name, target, monkeypatch):
    found = quotations_of(name, target, monkeypatch)
    assert len(found) > 10
    for text in {each.replace(MARK, "") for each in found}:
        lines = [line for line in text.split("\n") if line.strip()]
        deep = min((len(line) - len(line.lstrip()) for line in lines), default=0)
        body = "\n".join([f"    {line[deep:]}" for line in lines] or ["    pass"])
        tree = ast.parse(f"def f():\n{body}")
        assigned = [each for each in ast.walk(tree) if isinstance(each, ast.Assign)]
        if all(len(each.targets) == 1 for each in assigned):
            assert said(printed(quote(text, {}))) == ast.dump(tree), text


def test_statements_of_all_kinds():
    text = """
        for k in range(3):  # three
            if a[k] < 1 and not b: a[k] += 1; c = d = 2
            elif c:
                first, second = second, first
            else:
                add(a,
                    b)
        while True: break
        return a, b
    """
    arrays = {"a": Buffer("a", "scratch")}
    block = quote(text, arrays)
    assert [type(each).__name__ for each in block] == ["For", "While", "Leave"]
    assert printed(block) == (
        "def f():\n"
        "    for k in range(3):  # three\n"
        "        if a[k] < 1 and not b:\n"
        "            a[k] += 1\n"
        "            d = 2\n"
        "            c = 2\n"
        "        elif c:\n"
        "            first, second = second, first\n"
        "        else:\n"
        "            add(a, b)\n"
        "    while True:\n"
        "        break\n"
        "    return a, b"
    )


def test_names_are_arrays_where_they_are_known():
    arrays = {"a": Buffer("a", "scratch"), "v_x": Buffer("v_x", "column", key=("vertex", "x"))}
    assert quoted("a", arrays) == n.Array(arrays["a"])
    assert quoted("v_x", arrays) == n.Name("v_x")
    assert quoted(f"{MARK}v_x", arrays) == n.Array(arrays["v_x"])
    assert quoted("b[:]", arrays) == n.Item(n.Name("b"), n.Name(":"))


def test_heads_are_given_what_stands_in_them():
    made = opened("for k in range(3):", {})(quote("x = k", {}))
    assert made == quote("for k in range(3): x = k", {})[0]


@pytest.mark.parametrize(
    "text",
    ["x = 2*3", "x = a < b < c", "x = (1", "x", "x = else", "f(a=1)", "if a\n  b()", "a() b()"],
)
def test_what_is_no_quotation_is_refused(text):
    with pytest.raises((ValueError, IndexError)):
        quote(text, {})


def test_a_local_may_not_be_called_as_an_array():
    arrays = {"waiting": Buffer("waiting", "scratch")}
    with pytest.raises(AssertionError, match="waiting is an array here"):
        quote("waiting = np.int64(0)", arrays)
    assert quote("waiting = waiting", arrays)
