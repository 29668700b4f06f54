"""Write docs/reference.md from the docstrings of emv's public names.

Usage: python docs/build_reference.py            write the page
       python docs/build_reference.py --check    exit 1 when the committed page is not current

The page has a section for each kind of name in ``emv.__all__``, one for ``emv.algorithms`` and the
table of knobs. Numpy docstring sections become bold headings, parameters become a list, examples
become fenced blocks.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import emv
import emv.algorithms
import emv.config

PAGE = Path(__file__).with_name("reference.md")
LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Other Parameters")
INTRO = """# Reference

Generated from the docstrings by `python docs/build_reference.py`; a test keeps it current.
Every name below is `emv.<name>` unless it says otherwise.
"""


def kind_of(value: Any) -> str:
    """Return the title of the section a public name belongs to."""
    if isinstance(value, type):
        if issubclass(value, BaseException):
            return "Errors"
        return "Number types" if value.__module__ in ("numpy", "builtins") else "Classes"
    if isinstance(value, types.ModuleType):
        return "Modules"
    return "Functions and decorators" if callable(value) else "Constants"


def headings(docstring: str) -> Iterator[tuple[str, list[str]]]:
    """Split a numpy docstring into (section title, lines); the first title is empty."""
    title, lines = "", []
    rows = docstring.splitlines()
    for row, below in zip(rows, [*rows[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(row):
            yield title, lines
            title, lines = row, []
        elif not (title and not lines and row and set(row) == {"-"}):
            lines.append(row)
    yield title, lines


def as_list(lines: Iterable[str]) -> list[str]:
    """Render ``name : type`` entries with indented texts as a markdown list."""
    rendered: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            name, colon, type_name = line.partition(" : ")
            rendered.append(f"- `{name}`" + (f" (`{type_name}`)" if colon else ""))
        elif line.strip():
            rendered.append("  " + line.strip())
    return rendered


def as_text(lines: Iterable[str]) -> list[str]:
    """Render prose as it is, with every example inside a fence."""
    rendered: list[str] = []
    fenced = False
    for line in lines:
        starts = line.startswith(">>> ")
        if starts and not fenced:
            rendered.append("```pycon")
        if fenced and not line.strip():
            rendered.append("```")
        fenced = starts or (fenced and bool(line.strip()))
        rendered.append(line)
    return [*rendered, "```"] if fenced else rendered


def markdown(docstring: str) -> str:
    """Return a numpy docstring as markdown."""
    parts = []
    for title, lines in headings(docstring.replace("``", "`")):
        body = as_list(lines) if title in LISTS else as_text(lines)
        text = "\n".join(body).strip("\n")
        parts.append(f"**{title}**\n\n{text}" if title else text)
    return "\n\n".join(part for part in parts if part)


def signature(value: Any) -> str:
    """Return ``(a, b=1)`` of a callable, or an empty string when Python does not know it."""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return re.sub(r" at 0x[0-9a-f]+", "", unquoted)


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public, documented members a class defines itself, in source order."""
    for name, member in vars(cls).items():
        plain = getattr(member, "__func__", member)
        documented = inspect.isfunction(plain) or isinstance(member, property)
        if documented and not name.startswith("_") and plain.__doc__:
            yield name, plain


def entry(name: str, value: Any) -> str:
    """Return the text of one public name: signature, docstring and, for a class, its methods."""
    kind = kind_of(value)
    if kind == "Constants":
        return f"### `{name}`\n\n{constant_text(value)}"
    parts = [f"### `{name}{signature(value)}`", markdown(inspect.getdoc(value) or "")]
    if kind == "Classes":
        for method, member in methods(value):
            call = "" if isinstance(member, property) else signature(member)
            parts.append(f"#### `{name}.{method}{call}`")
            parts.append(markdown(inspect.getdoc(member) or ""))
    return "\n\n".join(parts)


def constant_text(value: Any) -> str:
    """Return the value of a plain constant, or the docstring of an object's class."""
    if isinstance(value, int | float | str):
        return f"The {type(value).__name__} `{value!r}`."
    return markdown(inspect.getdoc(value) or "")


def number_types(names: Iterable[str]) -> str:
    """Return one table of the short names of number types."""
    rows = [f"| `{name}` | `numpy.{getattr(emv, name).__name__}` |" for name in names]
    return "\n".join(["| name | is |", "|---|---|", *rows])


def sections() -> Iterator[str]:
    """Yield the page, section by section."""
    yield INTRO
    kinds: dict[str, list[str]] = {}
    for name in emv.__all__:
        kinds.setdefault(kind_of(getattr(emv, name)), []).append(name)
    order = ("Functions and decorators", "Classes", "Number types", "Constants", "Errors")
    for kind in (each for each in order if each in kinds):
        yield f"## {kind}"
        if kind == "Number types":
            yield number_types(kinds[kind])
        else:
            yield from (entry(name, getattr(emv, name)) for name in kinds[kind])
    yield "## Algorithms\n\n" + markdown(inspect.getdoc(emv.algorithms) or "")
    for name in emv.algorithms.__all__:
        yield entry(f"algorithms.{name}", getattr(emv.algorithms, name))
    knobs = inspect.getdoc(sys.modules["emv.config"]) or ""
    yield "## Knobs\n\n```text\n" + knobs + "\n```"


def page() -> str:
    """Return the whole page."""
    return "\n\n".join(text.strip("\n") for text in sections()) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(description="Write docs/reference.md from docstrings.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args(arguments).check
    current = page()
    if not check:
        PAGE.write_text(current, encoding="utf-8")
        return 0
    committed = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if committed == current:
        return 0
    changes = difflib.unified_diff(committed.splitlines(), current.splitlines(), lineterm="", n=1)
    print("\n".join([*list(changes)[:40], "run: python docs/build_reference.py"]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
