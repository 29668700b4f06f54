"""Where nodes of a user's function stand in the file: lines, columns, names."""

from __future__ import annotations

import inspect
import linecache

import pytest

from emv.errors import EmvError, SourceError
from emv.lang.source import (
    caller_loc,
    definition_loc,
    frame_loc,
    parameter_loc,
    place_error,
    read_source,
)


def kept(function):
    """Return the function itself; a decorator above a def moves its first line."""
    return function


def line_of(text: str) -> int:
    lines, _ = inspect.findsource(inspect.currentframe())
    return next(number for number, line in enumerate(lines, 1) if line.strip() == text)


def shown(loc) -> str:
    return loc.text[loc.column : loc.end_column]


def test_lines_of_an_indented_function():
    @kept
    def inner(
        value,
    ):
        doubled = value * 2
        return max(
            doubled,
            value,
        )

    source = read_source(inner)
    first, last = source.tree.body
    assert source.loc(first).line == line_of("doubled = value * 2")
    assert shown(source.loc(first)) == "doubled = value * 2"
    assert source.loc(last.value.args[0]).line == source.loc(first).line + 2
    assert source.loc(first).function == "inner"
    assert source.file == __file__


def test_columns_count_characters_not_bytes():
    def measure(v):
        größe = v.wéight  # noqa: F841
        return v

    source = read_source(measure)
    assign = source.tree.body[0]
    assert shown(source.loc(assign.value)) == "v.wéight"
    assert shown(source.name_loc(assign.value)) == "wéight"
    assert shown(source.loc(assign.targets[0])) == "größe"


def test_a_node_of_many_lines_is_marked_to_the_end_of_its_first():
    def spread(v):
        return v.first.second(
            v,
        )

    source = read_source(spread)
    call = source.tree.body[0].value
    assert shown(source.loc(call)) == "v.first.second("
    assert shown(source.name_loc(call.func)) == "second"


def test_definition_is_the_def_below_its_decorators():
    @kept
    @kept
    def chosen(first, second=3):
        return first

    loc = definition_loc(chosen)
    assert (loc.line, shown(loc)) == (line_of("def chosen(first, second=3):"), "chosen")
    assert shown(parameter_loc(chosen, "second")) == "second"
    assert parameter_loc(chosen, "third") == loc


def test_text_in_linecache_is_read_and_other_text_is_not():
    text = "def typed(a):\n    return a\n"
    name = "<notebook cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    around: dict = {}
    exec(compile(text, name, "exec"), around)
    assert read_source(around["typed"]).loc(read_source(around["typed"]).tree.body[0]).line == 2
    exec(compile(text, "<gone>", "exec"), around)
    with pytest.raises(SourceError, match="cannot be read"):
        read_source(around["typed"])


def test_a_lambda_is_no_def():
    with pytest.raises(SourceError, match="is not a plain def"):
        read_source(eval("later", {"later": spare}))


spare = lambda v: v  # noqa: E731


def test_the_callers_line_and_columns():
    loc = caller_loc()
    assert (loc.line, shown(loc)) == (line_of("loc = caller_loc()"), "caller_loc()")
    assert frame_loc(inspect.currentframe()).function == "test_the_callers_line_and_columns"


def test_an_error_without_a_place_gets_the_innermost_line_of_the_users():
    def deep():
        raise EmvError("lost")

    with pytest.raises(EmvError) as raised:
        deep()
    place_error(raised.value)
    assert raised.value.loc is not None
    assert raised.value.loc.line == line_of('raise EmvError("lost")')
    assert raised.value.args[1] == raised.value.loc
