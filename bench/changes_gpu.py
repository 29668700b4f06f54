"""Batches of changes on a GPU beside building anew: what ``python -m bench.changes --gpu`` does.

The edges and their index arrays lie on the GPU, in both directions, and so do the batches. A round
is a call of the library until the GPU is done, so Python's part counts; the kernels' part is added
up from events in rounds of their own, and so are the times that calls of the driver take, by name,
what is left being Python's. What a version puts off until somebody asks for it, the edges of arcs,
whom arcs lead to where edges lead both ways, and the ends of what is left, is timed by itself, and
so is the same change of a version whose own is put off. The last version is compared, array by
array, with index arrays built anew of its edges, and these with the counts there must be.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.stages import Stages
from bench.study import Row
from bench.timing import call_ms, calls_ms, until_done
from bench.walks import placed
from emv import generators
from emv.backends.cuda.device import device
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.runtime.targets.gpu_graph import gpu_graph

CALLS = ("launch", "synchronize", "copy", "fill", "allocate", "free", "use", "leave")
Change = Callable[[Any], Any]
NAMES = ("out_first", "out_other", "edge_of_arc", "in_first", "in_other")


def made_graph(name: str) -> Any:
    """Return ``rmat20`` (directed) or ``kron22`` (undirected), with ends on the GPU."""
    kind, scale = name[:4], int(name[4:])
    if kind == "rmat":
        return generators.rmat(1 << scale, 16 << scale, rng=1, device="cuda")
    return generators.kronecker(scale, rng=1, device="cuda")


def built(graph: Any, on: Any) -> Any:
    """Build the index arrays of a graph on the GPU; return what holds them."""
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
    driver, stages = on.driver, Stages(time.perf_counter)
    for name in CALLS:
        stages.watch(driver, name, name)
    try:
        for _ in range(rounds):
            stages.turn("python")
            kept = call()
            stages.turn(None)
            del kept  # in no stage but those of the driver
    finally:
        for name in CALLS:
            delattr(driver, name)
    seconds = stages.seconds
    return {name: (n / rounds, 1000 * seconds[name] / rounds) for name, n in stages.calls.items()}


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
    on, graph = device(), made_graph(name)
    with on.current():
        built(graph, on)
        wait = until_done(on)
        anew_ms = statistics.median(calls_ms(lambda: anew(graph, on), wait, 3))
        for batch in batches:
            row: Row = {"graph": name, "arcs": graph.num_arcs, "batch": batch, "fault": ""}
            for verb, (change, again) in verbs_of(graph, on, batch).items():
                call = functools.partial(change, graph)
                wrong = difference(call(), on)
                row["fault"] += f"{verb}: {wrong} differ" * bool(wrong)
                call()
                kernels = by_kernel(on, call)
                row[f"{verb}_ms"] = statistics.median(calls_ms(call, wait, rounds))
                row[f"{verb}, kernels' ms"] = sum(kernels.values()) - kernels.get("launches", 0)
                for kind, then in (("rest", functools.partial(ask_for_all, on)), ("again", again)):
                    times = [call_ms(functools.partial(then, call()), wait) for _ in range(rounds)]
                    row[f"{verb} {kind}_ms"] = statistics.median(times)
                row[f"{verb}_kernels"] = kernels
                row[f"{verb}_calls"] = by_call(on, call, rounds)
            yield {**row, "anew_ms": anew_ms}


def verbs_of(graph: Any, on: Any, batch: int) -> dict[str, tuple[Change, Change]]:
    """Return what changes a graph by a batch, by verb, and what changes the version once more."""
    new = generators.random(graph.num_vertices, batch, loops=True, rng=2, device="cuda")
    src, dst = new.edges.ends().on_device
    drawn = np.random.default_rng(batch).choice(graph.num_edges, 2 * batch, replace=False)
    some, others = placed(np.split(drawn, 2), "cuda")

    def add(graph: Any) -> Any:
        return graph.add_edges(src, dst)

    return {
        "add": (add, add),
        "remove": (lambda graph: graph.remove_edges(some), lambda made: made.remove_edges(others)),
    }


def ask_for_all(on: Any, graph: Any) -> None:
    """Ask for what a version has put off."""
    for name in ("out_other", "edge_of_arc"):
        graph.layouts.placed[on.label].array(name)
    for each in graph.edges.ends().on_device:
        assert each.address
