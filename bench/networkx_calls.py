"""Every function that emv serves as a backend of networkx, beside networkx itself.

Graphs are those of `bench.networkx_graphs`. emv takes its turn first, once with the conversion and
once with the graph converted already. networkx is stopped when it has taken twice as long as the
conversion and the call, which decides the row; where it comes back sooner they take turns again,
and the least of each counts. All is measured in seconds of the processor, on one thread unless
EMV_NUM_THREADS says more, whose seconds are added up; so that a busy machine says the same.

`networkx_s` is what networkx takes, or took when it was stopped, `converting_s` and `kept_s` what
emv does with the conversion and without. `runs` is what the backend itself answers where networkx
asks whether it should run: `yes`, `kept` once the graph is converted, `no`, or `asked`, where emv
has the function for those that ask by name and networkx keeps it otherwise; these are measured with
--asked alone. Exits 1 where a call that it would run takes longer than networkx's.
"""

from __future__ import annotations

import gc
import itertools
import math
import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

os.environ.setdefault("EMV_NUM_THREADS", "1")

import networkx as nx

from bench.networkx_graphs import LISTS, TWO, arguments_of, drawn, function_of, kind_of
from bench.study import Row, run
from emv.networkx.calls import MAKES
from emv.networkx.functions import FUNCTIONS
from emv.networkx.worth import should_run, when

ROUNDS = 3
ENOUGH = 2  # times as long as emv with the conversion, after which networkx is stopped
BRIEF = 0.05  # seconds that networkx has in any case, as the first call of emv compiles
CLEAR = 1.2  # times as long as emv networkx must take for a row to be decided at once
PATIENCE = 60  # seconds after which emv is stopped
FEW, MANY = 1, 100_000  # items taken of what goes on for every node, and of other iterators
TIMES = ("networkx_s", "converting_s", "kept_s")


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


def take_turns(row: Row, graphs: tuple[Any, ...]) -> None:
    """Measure emv and networkx in a row until it is plain which of them is faster."""
    name, G = row["function"], graphs[0]
    for _ in range(ROUNDS):
        with stopped_after(PATIENCE):
            row["converting_s"] = min(row["converting_s"], converting(name, graphs))
            row["kept_s"] = min(row["kept_s"], seconds(name, graphs, "emv"))
        if row["runs"] != "yes" and should_run(name, (G,), arguments_of(name, G)) is True:
            row["runs"] = "kept"
        limit = max(ENOUGH * row["converting_s"], BRIEF)
        try:
            with stopped_after(limit):
                plain = seconds(name, graphs, "networkx")
        except Stopped:
            if row["networkx_s"] == math.inf:
                row["networkx_s"], row["is_stopped"] = limit, True
            return
        row["networkx_s"] = min(row["networkx_s"], plain)
        if plain > CLEAR * row["kept_s" if row["runs"] == "kept" else "converting_s"]:
            return


def converting(name: str, graphs: tuple[Any, ...]) -> float:
    """Return how long a call of emv takes that converts the graph."""
    graphs_in = graphs[0] if name in LISTS else graphs
    for each in graphs_in:
        each.__networkx_cache__.clear()
    return seconds(name, graphs, "emv")


def measured(name: str, kind: str, G: Any, edges: int) -> Row:
    """Return the row of a function; see the module."""
    G.__networkx_cache__.clear()
    answer = should_run(name, (G,), arguments_of(name, G))
    runs = "asked" if when(name) == "asked" else "yes" if answer is True else "no"
    row: Row = {"function": name, "graph": kind, "runs": runs, "edges": edges, "is_stopped": False}
    row |= dict.fromkeys(TIMES, math.inf)
    try:
        take_turns(row, graphs_of(name, G))
    except (NotImplementedError, nx.NetworkXException) as error:
        has_none = "not implemented by 'networkx'" in str(error)
        row["runs"] = "networkx has none" if has_none else f"refused: {error}"
    except Stopped:
        row["runs"] = f"refused: emv takes longer than {PATIENCE} s"
    except MemoryError:
        row["runs"] = "networkx has too little memory"
    return judged(row)


def judged(row: Row) -> Row:
    """Return a row with how many times as fast emv is, and whether it is slower where it runs."""
    emv_s = {"yes": row["converting_s"], "kept": row["kept_s"]}.get(row["runs"], 0)
    row["missed"] = emv_s >= row["networkx_s"] or row["runs"].startswith("refused")
    if row["networkx_s"] == math.inf:
        return row | dict.fromkeys(TIMES)
    ratios = {"converted x": "converting_s", "kept x": "kept_s"}
    return row | {name: row["networkx_s"] / row[each] for name, each in ratios.items()}


def networkx_calls(
    edges: tuple[int, ...] = (10_000, 100_000, 1_000_000),
    only: tuple[str, ...] = (),
    asked: bool = False,
) -> Iterator[Row]:
    """Time every function beside networkx; ``--asked`` also what runs by name alone.

    Exits 1 if a call that would run is slower than networkx's.
    """
    warnings.simplefilter("ignore")
    names = [name for name in sorted(FUNCTIONS) if name not in MAKES]
    left = [name for name in names if when(name) == "asked"]
    if only:
        names = [name for name in names if name in only]
    elif not asked:
        names = [name for name in names if name not in left]
        print(f"left to networkx, as it needs a part of the graph or is faster: {', '.join(left)}")
    for count in edges:
        for kind, G, of_kind in by_graph(names, count):
            yield from (measured(name, kind, G, count) for name in of_kind)


def by_graph(names: list[str], edges: int) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield graphs and the functions that get them, one by one, as many edges fill the memory."""
    for kind in sorted({kind_of(name, edges) for name in names}):
        gc.disable()  # takes longer than drawing
        G = drawn(kind, edges)
        gc.enable()
        gc.freeze()  # networkx' calls would pass over its edges again and again
        yield kind, G, [name for name in names if kind_of(name, edges) == kind]
        del G
        gc.unfreeze()
        gc.collect()


if __name__ == "__main__":
    raise SystemExit(run(networkx_calls, key=("edges", "function")))
