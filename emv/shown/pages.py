"""What notebooks show of a run, a profile, a plan and an explanation; see `emv.shown.html`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.shown.html import columns, facts, folded, framed, shares, table
from emv.shown.tables import HEAD, cells, milliseconds

NUM_BINS = 32  # of a picture of numbers
FIRST = 8  # numbers of a result that are shown
SECTION = re.compile(r"^(?=\S)", re.MULTILINE)


def run_page(run: Any) -> str:
    """Return how a `Run` went: counts, times, its results and its launches."""
    went = facts(
        [
            ("supersteps", f"{run.supersteps:,}, {run.stopped}"),
            ("time", f"{milliseconds(run.seconds)} ms"),
            ("compiling", f"{milliseconds(run.compile_seconds)} ms"),
        ]
    )
    results = run.result if isinstance(run.result, tuple) else (run.result,)
    names = [f"result {number}" if len(results) > 1 else "result" for number in range(len(results))]
    shown = [value_shown(name, value) for name, value in zip(names, results, strict=True)]
    written = [
        [kind, name, type_of(store[name])]
        for kind, store in (("vertices", run.vertices), ("edges", run.edges))
        for name in store.names()
    ]
    longest = sorted(run.launches, key=lambda each: -each.seconds)
    bars = [(each.name, each.seconds, f"{milliseconds(each.seconds)} ms") for each in longest]
    parts = [went, *shown, table(["columns of", "name", "type"], written) if written else ""]
    return framed(f"{run.program} on {run.backend}", *parts, shares(bars) if bars else "")


def type_of(values: Any) -> str:
    """Return the type and the shape of an array."""
    return f"{values.dtype}[{', '.join(f'{each:,}' for each in values.shape)}]"


def value_shown(name: str, value: Any) -> str:
    """Return a result: a number, or an array with its first numbers and how all are spread."""
    if not hasattr(value, "dtype") or not getattr(value, "ndim", 0):
        return facts([(name, value)])
    told = [(name, type_of(value))]
    if not isinstance(value, np.ndarray):
        return facts(told)  # on a GPU, where it stays
    first = ", ".join(f"{each:.6g}" for each in value.ravel()[:FIRST].astype(float))
    more = ", ..." if value.size > FIRST else ""
    return facts([*told, ("begins", first + more)]) + spread(value.ravel())


def spread(values: NDArray[Any]) -> str:
    """Return a picture of how finite numbers are spread; nothing where there is nothing to see."""
    numbers = values[np.isfinite(values)].astype(float)
    if numbers.size < 2 or numbers.min() == numbers.max():
        return ""
    counts, edges = np.histogram(numbers, NUM_BINS)
    names = [
        f"{low:.4g} to {high:.4g}: {count:,}"
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    caption = f"{numbers.min():.4g} to {numbers.max():.4g}, square roots of counts"
    return columns(np.sqrt(counts).tolist(), names, caption)


def profile_page(profile: Any) -> str:
    """Return where the time of a profiled run went: bars by launch and by superstep, and tables."""
    title = f"{profile.program} on {profile.backend}: {profile.graph}"
    launches = [
        (each.name, each.seconds, f"{milliseconds(each.seconds)} ms") for each in profile.launches
    ]
    rows = [[each.name, f"{each.calls:,}", *cells(each)] for each in profile.launches]
    steps = [each for each in profile.supersteps if each.number]
    names = [f"{each.number}: {milliseconds(each.seconds)} ms" for each in steps]
    caption = f"{len(steps):,} supersteps, {milliseconds(profile.seconds)} ms in all"
    picture = columns([each.seconds for each in steps], names, caption)
    by_step = [[str(each.number), *cells(each), each.how] for each in steps]
    tables = table(["launch", "calls", *HEAD], rows) + table(["superstep", *HEAD, "how"], by_step)
    return framed(title, shares(launches), picture, tables)


def plan_page(plan: Any, groups: tuple[str, ...]) -> str:
    """Return the bytes of a `MemoryPlan`: bars by group, and every array."""
    bars = [(group, plan.group_bytes(group), f"{plan.group_bytes(group):,}") for group in groups]
    arrays = [[each.name, each.group, f"{each.nbytes:,}", each.note] for each in plan.entries]
    sums = [
        ("in all", f"{plan.total_bytes:,} bytes"),
        ("to allocate", f"{plan.new_bytes:,} bytes"),
        ("at most, while index arrays are built", f"{plan.peak_bytes:,} bytes"),
    ]
    told = table(["array", "group", "bytes", ""], arrays)
    return framed(f"memory of {plan.program}", facts(sums), shares([b for b in bars if b[1]]), told)


class Explanation(str):
    """What `explain` returns: a text, whose sections a notebook folds."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the sections, each to be unfolded."""
        sections = [each for each in SECTION.split(self) if each.strip()]
        titles = [each.partition("\n")[0] for each in sections]
        bodies = [each.partition("\n")[2] for each in sections]
        told = [
            folded(title, body) if body.strip() else facts([(title, "")])
            for title, body in zip(titles, bodies, strict=True)
        ]
        return framed("how it runs", *told)
