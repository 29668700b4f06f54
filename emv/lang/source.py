"""The source text and syntax tree of a user's function, with true lines and columns.

An indented function is parsed under ``if True:`` rather than dedented, because dedenting is wrong
for comments and continuation lines (the trick is cuTile Python's, ``_passes/ast2hir.py``).
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import types
from dataclasses import dataclass
from typing import Any

from emv.errors import EmvError, GraphFormatError, Loc, SourceError
from emv.tracebacks import characters, frame_loc, instruction_loc, lines_of


@dataclass(frozen=True)
class Source:
    """One function's tree and what is needed to point into it."""

    file: str
    function: str
    lines: tuple[str, ...]
    first_line: int
    shift: int  # lines added in front while parsing
    tree: ast.FunctionDef

    def loc(self, node: ast.AST) -> Loc:
        """Return where a node of the tree stands."""
        row = getattr(node, "lineno", 1 + self.shift) - 1 - self.shift
        text = self._text(row)
        one_line = getattr(node, "end_lineno", None) == getattr(node, "lineno", None)
        start = characters(text, getattr(node, "col_offset", 0))
        end_bytes = getattr(node, "end_col_offset", None) if one_line else None
        end = len(text) if end_bytes is None else characters(text, end_bytes)
        return Loc(self.file, self.first_line + row, start, end, self.function, text)

    def name_loc(self, node: ast.Attribute) -> Loc:
        """Return where the name after the dot of ``element.name`` stands."""
        row = (node.end_lineno or node.lineno) - 1 - self.shift
        text = self._text(row)
        end = characters(text, node.end_col_offset or 0)
        start = end - len(node.attr)
        return Loc(self.file, self.first_line + row, start, end, self.function, text)

    def _text(self, row: int) -> str:
        return self.lines[row].rstrip("\n") if row < len(self.lines) else ""


def definition_loc(function: types.FunctionType) -> Loc:
    """Return the line of a function's ``def``, with the columns of its name."""
    code, name = function.__code__, function.__name__
    found = word_loc(code.co_filename, code.co_firstlineno, rf"\bdef\s+({re.escape(name)})\s*\(")
    place = found or Loc(code.co_filename, code.co_firstlineno)
    return Loc(place.file, place.line, place.column, place.end_column, name, place.text)


def parameter_loc(function: types.FunctionType, name: str) -> Loc:
    """Return where a parameter of a function stands, or its definition when that is unreadable."""
    try:
        source = read_source(function)
    except SourceError:
        return definition_loc(function)
    arguments = source.tree.args
    listed = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return next((source.loc(each) for each in listed if each.arg == name), definition_loc(function))


def word_loc(file: str, first_line: int, pattern: str) -> Loc | None:
    """Return where the first group of a pattern stands in a file, from a line on, within 200."""
    for line in range(first_line, first_line + 200):
        text = linecache.getline(file, line).rstrip("\n")
        found = re.search(pattern, text)
        if found:
            return Loc(file, line, found.start(1), found.end(1), text=text)
    return None


def read_source(function: types.FunctionType) -> Source:
    """Return the source of a function.

    Raises
    ------
    SourceError
        If Python cannot find the text: code typed into ``python -c`` or made by ``exec``.
    """
    try:
        lines, first_line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise SourceError(
            f"the source of {function.__name__}() cannot be read",
            definition_loc(function),
            "Write the function in a file or a notebook cell; text given to exec() or to "
            "python -c leaves no source behind.",
        ) from None
    indented = lines[0][:1].isspace()
    text = ("if True:\n" if indented else "") + "".join(lines)
    tree: Any = ast.parse(text).body[0]
    if indented:
        tree = tree.body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise SourceError(
            f"{function.__name__} is not a plain def",
            definition_loc(function),
            "Decorate a function written with def; lambdas and async functions have no place here.",
        )
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    return Source(file, function.__name__, tuple(lines), first_line, int(indented), tree)


def read_lambda(function: types.FunctionType) -> Source:
    """Return the source of a lambda, as if it were a def of the function's name.

    Raises
    ------
    SourceError
        If its text cannot be read.
    """
    code, name = function.__code__, function.__name__
    lines = lines_of(code)
    found = [
        node
        for node in ast.walk(ast.parse("".join(lines)))
        if isinstance(node, ast.Lambda) and _is_text_of(node, code)
    ]
    if len(found) != 1:
        raise SourceError(
            "the source of this lambda cannot be read",
            definition_loc(function),
            "Write a def instead.",
        )
    made = ast.FunctionDef(name, found[0].args, [ast.Return(found[0].body)], [])
    tree = ast.fix_missing_locations(ast.copy_location(made, found[0]))
    return Source(code.co_filename, name, tuple(lines), 1, 0, tree)


def column_of(code: types.CodeType) -> int:
    """Return the column of the leftmost name or number of some code, 0 if it has no places."""
    return min((column for *_, column, _ in code.co_positions() if column), default=0)


def _is_text_of(node: ast.Lambda, code: types.CodeType) -> bool:
    """Return whether a lambda has the place, the names and the constants of some code.

    Its instructions may be others: Python calls a method of an imported module in another way.
    """
    if node.lineno != code.co_firstlineno:
        return False
    begin = (node.lineno, node.col_offset)
    end = (node.end_lineno, node.end_col_offset)
    for line, end_line, column, end_column in code.co_positions():
        has_place = column is not None and (line, column) != (end_line, end_column)
        if has_place and not (begin <= (line, column) and (end_line, end_column) <= end):
            return False
    wanted = (code.co_varnames, code.co_names, code.co_consts)
    made = compile(ast.Expression(node), code.co_filename, "eval").co_consts
    codes = [each for each in made if isinstance(each, types.CodeType)]
    return any((each.co_varnames, each.co_names, each.co_consts) == wanted for each in codes)


def caller_loc(depth: int = 1) -> Loc:
    """Return the line of the first frame outside emv, with the columns of the running call."""
    frame: types.FrameType | None = inspect.currentframe()
    for _ in range(depth):
        frame = frame.f_back if frame is not None else None
    while frame is not None and _is_inside(frame):
        frame = frame.f_back
    return Loc("<unknown>", 0) if frame is None else frame_loc(frame)


def _is_inside(frame: types.FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name.split(".")[0] in ("emv", "contextlib") and not name.startswith("emv.algorithms")


def place_error(error: EmvError) -> None:
    """Give an error that names no place the innermost line of the user's that led to it."""
    if error.loc is not None or isinstance(error, GraphFormatError):
        return
    trace = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.split(".")[0] != "emv":
            code = trace.tb_frame.f_code
            error.loc = instruction_loc(code, trace.tb_lasti, trace.tb_lineno)
        trace = trace.tb_next
    error.args = (error.what, error.loc, error.remedy)
