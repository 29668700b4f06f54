"""Print a command of README.md, so that CI runs what a reader is told to run.

Usage: python .ci/readme_command.py NAME [VENV]

NAME is what the comment before the fenced block says, ``<!-- command: NAME -->``; README has
``main-job`` and ``tests``. VENV replaces the folder ``.venv`` of the command, so that CI leaves a
developer's own environment alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = r"<!-- command: {name} -->\s*\n```[^\n]*\n(.*?)\n```"


def command(text: str, name: str, venv: str = ".venv") -> str:
    """Return the fenced block that follows the comment of this name.

    Raises
    ------
    LookupError
        If there is not exactly one such block.
    """
    found = re.findall(BLOCK.format(name=re.escape(name)), text, re.DOTALL)
    if len(found) != 1:
        raise LookupError(f"{len(found)} blocks follow '<!-- command: {name} -->', expected one")
    return re.sub(r"(?<![\w/])\.venv\b(?!-)", venv, found[0])


if __name__ == "__main__":
    try:
        print(command(README.read_text(encoding="utf-8"), *sys.argv[1:]))
    except LookupError as error:
        sys.exit(f"{README.name}: {error}")
