"""Batches of changes on a GPU beside building anew: what ``python -m bench.changes --gpu`` does.

The edges and their index arrays lie on the GPU, in both directions, and so do the batches. A round
is a call of the library until the GPU is done, so Python's part counts; the kernels' part is added
up from events in rounds of their own, and so are the times that calls of the driver take, by name,
what is left being Python's. The last version is compared, array by array, with index
arrays built anew of its edges, and these with the counts there must be.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.study import Row
from bench.timing import call_ms, until_done

CALLS = ("launch", "synchronize", "copy", "fill", "allocate", "free", "use", "leave")
NAMES = ("out_first", "out_other", "edge_of_arc", "in_first", "in_other")


def made_graph(name: str) -> Any:
    """Return ``rmat20`` (directed) or ``kron22`` (undirected), with ends on the GPU."""
    from emv import generators

    kind, scale = name[:4], int(name[4:])
    if kind == "rmat":
        return generators.rmat(1 << scale, 16 << scale, rng=1, device="cuda")
    return generators.kronecker(scale, rng=1, device="cuda")


def built(graph: Any, on: Any) -> Any:
    """Build the index arrays of a graph on the GPU; return what holds them."""
    from emv.runtime.targets.gpu_graph import gpu_graph

    build = gpu_graph(graph.layouts, on).build
    for name in NAMES:
        if name != "in_first" or graph.directed:
            build.asked.add(name)
            build.arrays.array(name)
    build.is_under_way = True  # what was made on the way goes
    build.settle()
    return build.arrays


def anew(graph: Any, on: Any) -> Any:
    """Build the same arrays of the same ends once more."""
    from emv.backends.cuda.index_arrays import DeviceIndexArrays

    ends = graph.edges.ends().on_device
    made = DeviceIndexArrays(on, graph.layouts.shape, lambda: ends)
    for name in NAMES:
        made.array(name)
    return made


def by_kernel(on: Any, call: Callable[[], Any]) -> dict[str, float]:
    """Return the milliseconds on the GPU of every kernel that a call launches, added up."""
    names = {id(each.function): key[0] for key, each in on.by_hand.items()}
    launch, marks = on.driver.launch, []

    def note(function: Any, *given: Any) -> None:
        before, behind = on.driver.new_event(), on.driver.new_event()
        on.driver.record(before, on.stream)
        launch(function, *given)
        on.driver.record(behind, on.stream)
        marks.append((names.get(id(function), "first"), before, behind))

    on.driver.launch = note
    try:
        kept = call()
    finally:
        del on.driver.launch
    on.driver.synchronize(on.stream)
    del kept
    spent: dict[str, float] = defaultdict(float)
    for name, before, behind in marks:
        spent[f"{name}"] += 1000 * on.driver.seconds_between(before, behind)
        spent["launches"] += 1
    return dict(spent)


def by_call(on: Any, call: Callable[[], Any], rounds: int) -> dict[str, tuple[float, float]]:
    """Return how often each function of the driver is called, and its milliseconds; of a round.

    All others', of Python, are those of "python".
    """
    driver, spent, total = on.driver, defaultdict(list), 0.0

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed_call(*given: Any) -> Any:
            begin = time.perf_counter()
            try:
                return function(*given)
            finally:
                spent[name].append(time.perf_counter() - begin)

        return timed_call

    for name in CALLS:
        setattr(driver, name, watched(name, getattr(driver, name)))
    try:
        for _ in range(rounds):
            begin = time.perf_counter()
            kept = call()
            total += time.perf_counter() - begin
            del kept
    finally:
        for name in CALLS:
            delattr(driver, name)
    found = {name: (len(each) / rounds, 1000 * sum(each) / rounds) for name, each in spent.items()}
    python = 1000 * total / rounds - sum(ms for _, ms in found.values())
    return {"python": (1.0, python), **found}


def difference(graph: Any, on: Any) -> str:
    """Return which arrays of a version are not those of a rebuild, or nothing."""
    found, wanted = graph.layouts.placed[on.label], anew(graph, on)
    wrong = [name for name in NAMES if name not in found.made and graph.directed]
    for name in NAMES:
        pair = found.array(name).numpy(), wanted.array(name).numpy()
        if not np.array_equal(*pair):
            wrong.append(name)
    return " ".join(wrong)


def rows_of(name: str, batches: tuple[int, ...], rounds: int) -> Iterator[Row]:
    """Time batches of changes of one graph."""
    from emv import generators
    from emv.backends.cuda.array import from_host
    from emv.backends.cuda.device import device

    on, graph = device(), made_graph(name)

    def median_ms(call: Callable[[], Any], count: int) -> float:
        return statistics.median(call_ms(call, until_done(on)) for _ in range(count))

    with on.current():
        built(graph, on)
        anew_ms = median_ms(lambda: anew(graph, on), 3)
        for batch in batches:
            new = generators.random(graph.num_vertices, batch, loops=True, rng=2, device="cuda")
            src, dst = new.edges.ends().on_device
            draw = np.random.default_rng(batch)
            some = draw.choice(graph.num_edges, batch, replace=False)
            keys = from_host(on, some.astype(np.int32))
            calls = {
                "add": lambda src=src, dst=dst: graph.add_edges(src, dst),
                "remove": lambda keys=keys: graph.remove_edges(keys),
            }
            row: Row = {"graph": name, "arcs": graph.num_arcs, "batch": batch, "fault": ""}
            for verb, call in calls.items():
                wrong = difference(call(), on)
                row["fault"] += f"{verb}: {wrong} differ" * bool(wrong)
                call()
                kernels = by_kernel(on, call)
                row[f"{verb}_ms"] = median_ms(call, rounds)
                row[f"{verb}, kernels' ms"] = sum(kernels.values()) - kernels.get("launches", 0)
                row[f"{verb}_kernels"] = kernels
                row[f"{verb}_calls"] = by_call(on, call, rounds)
            yield {**row, "anew_ms": anew_ms}
