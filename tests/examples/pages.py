"""Runs the code of a Markdown page as a reader would: block by block, in one notebook.

Every ``python`` block becomes a real file, so that emv can read the source of its functions; a
first line ``# name.py`` gives the file's name. A ``text`` block behind it shows what the block
prints, or, when it begins with ``emv.errors.``, the error that ends it. ``...`` is any text.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from emv.errors import EmvError

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One piece of code, the line of the page it begins on, and what the page shows for it."""

    line: int
    code: str
    shown: str | None

    def file_name(self, stem: str) -> str:
        named = re.match(r"# (\w+\.py)\n", self.code)
        return named[1] if named else f"{stem}_line_{self.line}.py"


def blocks_of(text: str) -> Iterator[Block]:
    """Yield the python blocks of a page; a text block counts when it is the next fence."""
    fences = list(FENCE.finditer(text))
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] == "python":
            line = text[: fence.start()].count("\n") + 2
            shows = after is not None and after[1] == "text"
            yield Block(line, fence[2], after[2] if shows else None)


def printed_by(block: Block, file: Path, module: types.ModuleType) -> str:
    """Run a block; return what it printed, or its error when the page shows one."""
    file.write_text(block.code, encoding="utf-8")
    expects_error = (block.shown or "").startswith("emv.errors.")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(block.code, file.name, "exec"), vars(module))
        except EmvError as error:
            if not expects_error:
                raise
            return "".join(traceback.format_exception_only(error))
    assert not expects_error, "the page shows an error, and there was none"
    return printed.getvalue()


def difference(block: Block, printed: str) -> str:
    """Return what of the shown text the printed one lacks; empty when it lacks nothing."""
    if block.shown is None:
        return ""
    if doctest.OutputChecker().check_output(block.shown, printed, doctest.ELLIPSIS):
        return ""
    place = 0
    for piece in re.split(r"^\.\.\.\n", block.shown, flags=re.MULTILINE):
        found = printed.find(piece, place) if "..." not in piece else place
        if found < 0:
            return f"shown:\n{piece}\nnot in what is printed from here on:\n{printed[place:]}"
        place = found
    return f"shown:\n{block.shown}\nprinted:\n{printed}"
