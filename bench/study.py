"""The head of every command here: options from a function's parameters, rows as lines and as JSON.

A study is a generator function that yields rows, dicts of what is told by name: words first, then
figures with their unit in the name. Its parameters are the options of the command line, which their
defaults give types to; its docstring is the help. ``run`` prints each row when it is there and
writes the JSON anew: machine with versions and commit, options, rows. A row with a ``fault`` is
wrong; one with ``missed`` is above a limit. Both make the exit status 1.

    def sums(scale: int = 10, rounds: int = 3) -> Iterator[Row]:
        "Time sums."
        yield {"what": "sum", "ms": 1.5}

    if __name__ == "__main__":
        sys.exit(run("bench.sums", sums))
"""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.timing import describe

Row = dict[str, Any]
Study = Callable[..., Iterator[Row]]
TARGETS = ("cpu", "cuda")
PLACES = ("target", "device", "backend")  # options that say where a study runs


def run(
    name: str,
    *studies: Study,
    arguments: Sequence[str] | None = None,
    machine: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
) -> int:
    """Run the study that the command line names, the only one without a name; return the status.

    Parameters
    ----------
    name : str
        Of the module.
    *studies : functions
        What it can do.
    arguments : list of str, optional
        In place of the command line's.
    machine : function, optional
        Takes the options, says where it runs; by default the machine, with its GPU where one of
        `PLACES` names it.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {name}")
    if len(studies) == 1:
        add_options(parser, studies[0])
    else:
        parts = parser.add_subparsers(dest="study", required=True)
        for each in studies:
            add_options(parts.add_parser(word(each.__name__), help=first_line(each)), each)
    given = vars(parser.parse_args(arguments))
    chosen, path, limit = given.pop("chosen"), given.pop("json"), given.pop("limit")
    given.pop("study", None)
    about = (machine or machine_of)(given)
    began, rows = time.perf_counter(), list[Row]()
    for row in chosen(**given):
        rows.append(row)
        print(line(row), flush=True)
        write(path, rows, about, study=chosen.__name__, options=given)
        if limit and time.perf_counter() - began > limit:
            print(f"stopped by --limit after {len(rows)} rows")
            break
    return int(any(row.get("fault") or row.get("missed") for row in rows))


def machine_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the machine, with its GPU where the options lead there."""
    on_gpu = any(str(options.get(name)).startswith("cuda") for name in PLACES)
    return describe("cuda" if on_gpu else "cpu")


def add_options(parser: argparse.ArgumentParser, study: Study) -> None:
    """Add what a study takes."""
    parser.description = inspect.getdoc(study)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(chosen=study)
    parser.add_argument("--json", type=Path, help="also write the rows there")
    parser.add_argument("--limit", type=float, help="seconds after which no row is begun")
    for parameter in inspect.signature(study).parameters.values():
        option, default = f"--{word(parameter.name)}", parameter.default
        if default is False:
            parser.add_argument(option, action="store_true")
        elif isinstance(default, tuple):
            kind = type(default[0]) if default else str
            parser.add_argument(option, nargs="+", type=kind, default=default)
        else:
            kind = {"int": int, "float": float, "Path": Path}.get(
                str(parameter.annotation).partition(" ")[0], str
            )
            parser.add_argument(option, type=kind, default=default)


def word(name: str) -> str:
    """Return a Python name as a command line has it."""
    return name.replace("_", "-")


def first_line(study: Study) -> str:
    """Return what a study is for."""
    return (inspect.getdoc(study) or "").partition("\n")[0]


def line(row: Row) -> str:
    """Return a row for readers: words in columns, then figures by name; faults last.

    Examples
    --------
    >>> line({"graph": "road", "ms": 1.2345, "missed": False, "fault": "", "all_ms": [1.2]})
    'road            ms 1.23'
    >>> line({"graph": "road", "fault": "2 differ"})
    'road            WRONG: 2 differ'
    """
    hidden = ("fault", "missed")
    told = {name: each for name, each in row.items() if name not in hidden}
    words = [f"{each:<15}" for each in told.values() if isinstance(each, str) and each]
    figures = [
        f"{name} {shown(each)}" for name, each in told.items() if isinstance(each, int | float)
    ]
    figures += ["MISSED"] * bool(row.get("missed"))
    figures += [f"WRONG: {row['fault']}"] if row.get("fault") else []
    return " ".join([*words, "  ".join(figures)]).rstrip()


def shown(value: float) -> str:
    """Return a figure with the digits that mean something.

    Examples
    --------
    >>> shown(1234567), shown(1234.5), shown(0.012345)
    ('1,234,567', '1,234', '0.0123')
    """
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def write(
    path: Path | None, rows: Sequence[Row], machine: dict[str, Any] | None = None, **head: Any
) -> None:
    """Write a result if it is asked for: machine with versions and commit, what else, and rows."""
    if path is None:
        return
    whole = {"machine": machine or describe("cpu"), **head, "rows": list(rows)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1, default=str) + "\n", encoding="utf-8")
