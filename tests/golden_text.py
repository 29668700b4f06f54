"""Texts that a test compares with a file kept in ``tests/golden/``.

``assert golden == text`` fails when the file says something else or is not there. With
``pytest --update-golden`` the file is written instead; ``git diff`` then shows what changed.
The manner is exo's (``tests/conftest.py`` there).
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


class GoldenText:
    """The text one test expects; equal to a string when the file holds that string.

    Parameters
    ----------
    path : Path
        The file that holds the text.
    update : bool
        Write the file instead of comparing with it.
    """

    def __init__(self, path: Path, update: bool) -> None:
        self.path = path
        self.update = update

    def __eq__(self, text: object) -> bool:
        if not isinstance(text, str):
            return NotImplemented
        if self.update:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text, encoding="utf-8")
            return True
        return self.path.exists() and self._stored() == text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GoldenText({self.path.name!r})"

    def _stored(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def explain(self, text: str) -> list[str]:
        """Return the lines pytest shows when `text` is not what the file holds."""
        if not self.path.exists():
            return [f"no golden file {self.path}", "write it with: pytest --update-golden"]
        changes = difflib.unified_diff(
            self._stored().splitlines(), text.splitlines(), str(self.path), "now", lineterm=""
        )
        return ["differs from its golden file; accept with: pytest --update-golden", *changes]


def golden_path(module: str, test: str) -> Path:
    """Return the file of one test, ``golden/<module>/<test with parameters>.txt``."""
    return FOLDER / module / (re.sub(r"[^\w.-]+", "-", test).strip("-") + ".txt")
