"""What the program of lesson 4 does on a GPU: its explanation and its profile.

Usage: python docs/build_lesson_gpu.py            print both
       python docs/build_lesson_gpu.py --write    put them into docs/lessons/04_gpu.md

The program is read from the page itself, so what is shown is what the page says.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from emv.imports import module_of_code

PAGE = Path(__file__).resolve().parent / "lessons" / "04_gpu.md"
BEGIN, END = "<!-- on a GPU: begin -->\n", "<!-- on a GPU: end -->\n"
SIZE, BATTERY = 2000, 4000


def program_of(text: str, folder: str) -> ModuleType:
    """Return the program of the page and its country as a module; emv reads its file."""
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    wanted = next(each for each in blocks if "@program" in each)
    made = next(each for each in blocks if "def country" in each).partition("\n\nland = ")[0]
    path = Path(folder) / "lesson_gpu.py"
    path.write_text(f"{wanted}\n\n{made}\n", encoding="utf-8")
    return module_of_code(path.stem, str(path), compile(path.read_text(), str(path), "exec"))


def shown(lesson: Any, size: int, device: str) -> str:
    """Return what the page's last block prints, the memory of the explanation left out."""
    land = lesson.country(size).on(device)
    program = lesson.charge_left
    run = program.run(land, 0, BATTERY)
    reached = int((np.asarray(run.result) >= 0).sum())
    explained = program.explain(land, 0, BATTERY).partition("\nmemory ")[0]
    schedule = explained[explained.index("schedule ") :].rstrip("\n")
    profile = program.profile(land, 0, BATTERY)
    first = f"{reached} places in {run.supersteps} supersteps"
    return f"{first}\n...\n{schedule}\n...\n{profile}\n"


def with_output(text: str, printed: str) -> str:
    """Return the page with what was printed between its two marks."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n```text\n{printed}```\n\n{END}{rest.partition(END)[2]}"


def main(arguments: list[str] | None = None) -> int:
    """Print or write; return the exit status."""
    parser = argparse.ArgumentParser(description="Explain and profile the program of lesson 4.")
    parser.add_argument("--write", action="store_true", help="put it into the page")
    parser.add_argument("--device", default="cuda", help="where to run; default: cuda")
    parser.add_argument("--size", type=int, default=SIZE, help="places along one side")
    options = parser.parse_args(arguments)
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        printed = shown(program_of(text, folder), options.size, options.device)
    print(printed, end="")
    if options.write:
        PAGE.write_text(with_output(text, printed), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
