"""The head of every command here: options from a function's parameters, rows as lines and as JSON.

A study is a generator function that yields rows, dicts of what is told by name: words first, then
figures with their unit in the name. Its parameters are the options of the command line, which their
defaults give types to; one without a default is given by its place, and ``only`` takes nothing but
what its default has. Its docstring is the help. ``run`` prints each row when it is there and writes
the JSON anew: machine with versions and commit, options, rows. A row with a ``fault`` is wrong; one
with ``missed`` is above a limit. Both make the exit status 1. A ``line`` is printed in the place of
a row, and not written.

    def sums(scale: int = 10, rounds: int = 3) -> Iterator[Row]:
        "Time sums."
        yield {"what": "sum", "ms": 1.5}

    if __name__ == "__main__":
        raise SystemExit(run(sums))
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from inspect import Parameter, getdoc, getsourcefile, signature
from pathlib import Path
from typing import Any, get_args

from bench.machine import describe_machine

Row = dict[str, Any]
Study = Callable[..., Iterator[Row]]
PLACES = ("target", "device", "backend")  # options that say where a study runs
HIDDEN = ("fault", "missed", "line")


def run(*studies: Study, arguments: Sequence[str] | None = None, key: tuple[str, ...] = ()) -> int:
    """Run the study that the command line names, the only one without a name; return the status.

    With `key`, which tells rows apart, rows that a file has already are kept unless measured anew,
    so that parts add up, and each has its date and commit. What lacks one of them is not written.
    """
    given = options_of(*studies, arguments=arguments)
    chosen, path = given.pop("chosen"), given.pop("json")
    limit = given.get("limit") if "limit" in signature(chosen).parameters else given.pop("limit")
    on_gpu = any(str(given.get(name)).startswith("cuda") for name in PLACES)
    on_gpu |= bool(given.get("gpu") or given.get("gpus"))
    about, rows = describe_machine("cuda" if on_gpu else "cpu"), list[Row]()
    began, told = time.perf_counter(), {k: getattr(v, "name", v) for k, v in given.items()}  # paths
    before = json.loads(path.read_text("utf-8"))["rows"] if key and path and path.exists() else []
    for row in chosen(**given):
        rows.append(row)
        print(row.get("line") or line(row), flush=True)
        if path:
            kept = joined(before, rows, key, about) if key else rows
            write(path, kept, about, study=chosen.__name__, options=told)
        if "limit" not in given and limit and time.perf_counter() - began > limit:
            print(f"stopped by --limit after {len(rows)} rows")
            break
    return int(any(row.get("fault") or row.get("missed") for row in rows))


def joined(
    before: list[Row], rows: list[Row], key: tuple[str, ...], machine: dict[str, Any]
) -> list[Row]:
    """Return the rows of a file and those measured since, which take the place of the same."""
    about = {name: machine[name] for name in ("date", "commit")}
    found: dict[tuple[Any, ...], Row] = {}
    for row in [*before, *({**row, **about} for row in rows)]:
        if {*key} <= {*row}:
            name = tuple(row[each] for each in key)
            found.pop(name, None)  # the new one stands where it was measured
            found[name] = row
    return [*found.values()]


def options_of(*studies: Study, arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Read the command line: the options of the study that it names, which is ``chosen``."""
    file = Path(getsourcefile(studies[0]) or "")
    is_here = file.parent == Path(__file__).parent
    named = f"-m bench.{file.stem}" if is_here else file.name
    parser = argparse.ArgumentParser(prog=f"python {named}")
    if len(studies) == 1:
        add_options(parser, studies[0])
    else:
        parts = parser.add_subparsers(required=True)
        for each in studies:
            about = (getdoc(each) or "").partition("\n")[0]
            add_options(parts.add_parser(each.__name__.replace("_", "-"), help=about), each)
    return vars(parser.parse_args(arguments))


def add_options(parser: argparse.ArgumentParser, study: Study) -> None:
    """Add what a study takes."""
    parser.description = getdoc(study)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(chosen=study)
    taken = signature(study, eval_str=True).parameters
    parser.add_argument("--json", type=Path, help="also write the rows there")
    if "limit" not in taken:
        parser.add_argument("--limit", type=float, help="seconds after which no row is begun")
    for parameter in taken.values():
        add_option(parser, parameter)


def add_option(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    """Add the option of a parameter."""
    option, default = f"--{parameter.name}".replace("_", "-"), parameter.default
    asked = (*get_args(parameter.annotation), parameter.annotation)[0]  # of a tuple, of its items
    kind = asked if asked in (int, float, Path) else str
    if default is parameter.empty:
        parser.add_argument(parameter.name, type=kind)
    elif default is False:
        parser.add_argument(option, action="store_true")
    elif isinstance(default, tuple):
        all_there_is = default if parameter.name == "only" and default else None
        parser.add_argument(option, nargs="*", type=kind, default=default, choices=all_there_is)
    else:
        parser.add_argument(option, type=kind, default=default)


def line(row: Row) -> str:
    """Return a row for readers: words in columns, then figures by name; faults last.

    Examples
    --------
    >>> line({"graph": "road", "ms": 1.2345, "missed": False, "fault": "", "all_ms": [1.2]})
    'road            ms 1.23'
    >>> line({"graph": "road", "fault": "2 differ"})
    'road            WRONG: 2 differ'
    """
    told = {name: each for name, each in row.items() if name not in HIDDEN}
    words = [f"{each:<15}" for each in told.values() if isinstance(each, str) and each]
    figures = [
        f"{name} {shown(each)}"
        for name, each in told.items()
        if isinstance(each, int | float) and not isinstance(each, bool)
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


def write(path: Path, rows: Sequence[Row], machine: dict[str, Any], **head: Any) -> None:
    """Write a result: machine with versions and commit, what else, and rows without their lines."""
    held = [{name: each for name, each in row.items() if name != "line"} for row in rows]
    whole = {"machine": machine, **head, "rows": held}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1, default=str) + "\n", encoding="utf-8")


def side_by_side(
    tasks: Iterable[tuple[Any, ...]], jobs: int = 0, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[Future[Any]]:
    """Do tasks, functions with their arguments, in processes of their own; yield what is done.

    By default there are as many processes as cores; `meanwhile` runs here.
    """
    spawn = multiprocessing.get_context("spawn")  # a fork would share a GPU's context
    with ProcessPoolExecutor(jobs or len(os.sched_getaffinity(0)), mp_context=spawn) as pool:
        begun = [pool.submit(*task) for task in tasks]
        meanwhile()
        yield from as_completed(begun)
