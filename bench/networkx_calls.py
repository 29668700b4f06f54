"""Every function that emv serves as a backend of networkx, beside networkx itself.

Usage: python -m bench.networkx_calls [--edges 10000 100000 1000000] [--only NAME ...] [--asked]
                                      [--json FILE]

Random graphs of ten ends of edges a node: plain, of arcs, without cycles, trees, as the function
wants; those that take or make a matrix of all pairs get as few nodes as so many edges allow. emv
takes its turn first, once with the conversion and once with the graph converted already. networkx
is stopped when it has taken twice as long as the conversion and the call, which decides the row;
where it comes back sooner they take turns again, and the least of each counts. All is measured in
seconds of the processor, on one thread unless EMV_NUM_THREADS says more, whose seconds are added
up; so that a busy machine says the same.

`runs` is what the backend itself answers where networkx asks whether it should run: `yes`, `kept`
once the graph is converted, `no`, or `asked`, where emv has the function for those that ask by name
and networkx keeps it otherwise; these are measured with --asked alone. Exits 1 where a call that it
would run takes longer than networkx's.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("EMV_NUM_THREADS", "1")

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from bench.machine import describe_machine
from bench.networkx_graphs import LISTS, TWO, arguments_of, drawn, kind_of
from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run, when

ROUNDS = 3
ENOUGH = 2
"""networkx is stopped when it has taken so many times as long as emv with the conversion."""
BRIEF = 0.05
"""Seconds that networkx has in any case, as the first call of emv compiles."""
CLEAR = 1.2
"""How many times as long as emv networkx must take for a row to be decided at once."""
PATIENCE = 60
"""Seconds after which emv is stopped."""
FEW = 1
"""Items taken of what goes on for every node."""
MANY = 100_000
"""Items taken of other iterators."""


def function_of(name: str) -> Callable[..., Any]:
    """Return networkx' function."""
    function: Callable[..., Any] = getattr(nx, name, None) or _registered_algorithms[name]
    return function


def graphs_of(name: str, G: Any) -> tuple[Any, ...]:
    """Return what a function takes for its graph or graphs."""
    if name in LISTS:
        return ([G, nx.relabel_nodes(G, str) if name == "union_all" else G],)
    if name in TWO:
        return G, nx.relabel_nodes(G, str) if name in ("union", "full_join") else G
    return (G,)


def seconds(
    name: str,
    graphs: tuple[Any, ...],
    backend: str,
    most: int | None = MANY,
    *,
    is_filled: bool = True,
) -> float:
    """Return how long a call takes whose result is used, up to so many items.

    A graph that is filled when somebody looks at it is looked at, unless that is not asked for.
    """
    arguments = arguments_of(name, graphs[0])
    begin = time.process_time()
    found = function_of(name)(*graphs, **arguments, backend=backend)
    if hasattr(found, "__next__"):
        limit = FEW if name.startswith("all_pairs") else most
        list(itertools.islice(found, limit))
    if is_filled and isinstance(found, nx.Graph):
        _ = found._adj
    return time.process_time() - begin


class Stopped(BaseException):
    """A call has taken as long as it may; no function of networkx' catches it."""


@contextmanager
def stopped_after(limit: float) -> Iterator[None]:
    """Stop what is done after so many seconds, as soon as Python has the word again."""
    begin = time.process_time()

    def stop(*_: object) -> None:
        if time.process_time() - begin >= limit:
            raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit, limit / 10)  # one of processor time blurs the clock
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Row:
    """What a function takes on one graph, in seconds.

    Attributes
    ----------
    function, graph : str
        Their names.
    edges : int
        Of the graph, as asked for.
    runs : str
        When emv runs it, see the module; or why it did not.
    networkx_s, converting_s, kept_s : float
        What networkx takes, and emv with the conversion and without.
    is_stopped : bool
        Whether networkx was stopped after `networkx_s`, and would have taken longer.
    """

    function: str
    graph: str
    edges: int
    runs: str
    networkx_s: float = float("inf")
    converting_s: float = float("inf")
    kept_s: float = float("inf")
    is_stopped: bool = False

    @property
    def is_lost(self) -> bool:
        """Whether emv takes longer where it would run."""
        emv_s = {"yes": self.converting_s, "kept": self.kept_s}.get(self.runs, 0)
        return emv_s >= self.networkx_s or self.runs.startswith("refused")

    def __str__(self) -> str:
        if self.networkx_s == float("inf"):
            return f"  {self.function:<40} {self.runs}"
        more = ">" if self.is_stopped else " "
        return (
            f"  {self.function:<40} {more}{self.networkx_s * 1e3:>10.2f} "
            f"{more}{self.networkx_s / self.converting_s:>8.2f} "
            f"{more}{self.networkx_s / self.kept_s:>8.2f}  {self.runs}"
            f"{'  SLOWER' if self.is_lost else ''}"
        )


def take_turns(row: Row, graphs: tuple[Any, ...]) -> None:
    """Measure emv and networkx in a row until it is plain which of them is faster."""
    name, G = row.function, graphs[0]
    for _ in range(ROUNDS):
        with stopped_after(PATIENCE):
            row.converting_s = min(row.converting_s, converting(name, graphs))
            row.kept_s = min(row.kept_s, seconds(name, graphs, "emv"))
        if row.runs != "yes" and should_run(name, (G,), arguments_of(name, G)) is True:
            row.runs = "kept"
        limit = max(ENOUGH * row.converting_s, BRIEF)
        try:
            with stopped_after(limit):
                plain = seconds(name, graphs, "networkx")
        except Stopped:
            if row.networkx_s == float("inf"):
                row.networkx_s, row.is_stopped = limit, True
            return
        row.networkx_s = min(row.networkx_s, plain)
        if plain > CLEAR * (row.kept_s if row.runs == "kept" else row.converting_s):
            return


def converting(name: str, graphs: tuple[Any, ...]) -> float:
    """Return how long a call of emv takes that converts the graph."""
    graphs_in = graphs[0] if name in LISTS else graphs
    for each in graphs_in:
        each.__networkx_cache__.clear()
    return seconds(name, graphs, "emv")


def measured(name: str, kind: str, G: Any, edges: int) -> Row:
    """Return the row of a function."""
    G.__networkx_cache__.clear()
    answer = should_run(name, (G,), arguments_of(name, G))
    runs = "asked" if when(name) == "asked" else "yes" if answer is True else "no"
    row = Row(name, kind, edges, runs)
    try:
        take_turns(row, graphs_of(name, G))
    except (NotImplementedError, nx.NetworkXException) as error:
        has_none = "not implemented by 'networkx'" in str(error)
        row.runs = "networkx has none" if has_none else f"refused: {error}"
    except Stopped:
        row.runs = f"refused: emv takes longer than {PATIENCE} s"
    except MemoryError:
        row.runs = "networkx has too little memory"
    return row


def rows_of(names: list[str], edges: int) -> Iterator[Row]:
    """Yield the rows of some functions, graph by graph, as those of many edges fill the memory."""
    for kind in sorted({kind_of(name, edges) for name in names}):
        gc.disable()  # takes longer than drawing
        G = drawn(kind, edges)
        gc.enable()
        gc.freeze()  # networkx' calls would pass over its edges again and again
        for name in names:
            if kind_of(name, edges) == kind:
                yield measured(name, kind, G, edges)
        del G
        gc.unfreeze()
        gc.collect()


def main() -> int:
    """Print the table, and return 1 if a call that would run is slower than networkx's."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--edges", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--asked", action="store_true", help="also what runs by name alone")
    parser.add_argument("--json", type=Path, help="put rows there, also beside those of other runs")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in sorted(FUNCTIONS) if name not in MAKES]
    left = [name for name in names if when(name) == "asked"]
    if given.only:
        names = [name for name in names if name in given.only]
    elif not given.asked:
        names = [name for name in names if name not in left]
        print(f"left to networkx, as it needs a part of the graph or is faster: {', '.join(left)}")
    rows: dict[tuple[str, int], Row] = {}
    about = {"machine": describe_machine(), "asked": left}
    for edges in given.edges:
        print(f"{edges} edges{'':<33} networkx ms  converted x    kept x  runs")
        for row in rows_of(names, edges):
            print(row, flush=True)
            rows[row.function, edges] = row
            if given.json:
                write(given.json, about, rows)
    lost = [row for row in rows.values() if row.is_lost]
    print(f"{len(rows)} rows, {len(lost)} of them slower than networkx")
    return int(bool(lost))


def write(path: Path, about: dict[str, Any], rows: dict[tuple[str, int], Row]) -> None:
    """Write rows, in the place of earlier ones of the same functions and numbers of edges."""
    before = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    found = [row for row in before if (row["function"], row["edges"]) not in rows]
    for row in rows.values():
        said = {name: None if value == float("inf") else value for name, value in vars(row).items()}
        found.append({**said, "commit": about["machine"]["commit"]})
    found.sort(key=lambda row: (row["edges"], row["function"]))
    path.write_text(json.dumps({**about, "rows": found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
