"""What every command here shares: the head of its command line, and the form of its results."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.machine import describe_machine

TARGETS = ("cpu", "cuda")


def command(
    name: str, text: str | None, rounds: int | None = None, target: bool = False, tiny: bool = False
) -> argparse.ArgumentParser:
    """Return a command line that knows ``--json``, and what else of the usual is asked for.

    Parameters
    ----------
    name : str
        Of the module.
    text : str
        Its docstring: the first line is said by ``--help``.
    rounds : int, optional
        The default of ``--rounds``.
    target : bool
        Whether there is ``--target``.
    tiny : bool
        Whether there is ``--tiny``.
    """
    said = (text or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=said)
    parser.add_argument("--json", type=Path, help="also write the figures there")
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds)
    if target:
        parser.add_argument("--target", choices=TARGETS, default="cpu")
    if tiny:
        parser.add_argument("--tiny", action="store_true", help="to see that it works")
    return parser


def write(
    path: Path | None,
    rows: Sequence[dict[str, Any]],
    machine: dict[str, Any] | None = None,
    **head: Any,
) -> None:
    """Write a result if it is asked for: machine with versions and commit, what else, and rows.

    Called after every row, so that a run that is cut off leaves some.
    """
    if path is None:
        return
    whole = {"machine": machine or describe_machine(), **head, "rows": list(rows)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
