"""The bytes a memory plan is told against the bytes that are then taken."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv.errors import ArgumentError, ColumnError
from emv.graph import Graph, Layouts, build, widths

LAYOUTS = (
    "out_rows",
    "in_rows",
    "edge_of_arc",
    "src_of_arc",
    "edge_of_slot",
    "arc_of_slot",
    "slot_of_arc",
    "dst_of_slot",
    "edges_by_row",
    "row_bits",
)
COLUMNS = [
    ("weight", np.dtype(dtype), order)
    for dtype in ("f4", "f8")
    for order in ("edge", "arc", "slot")
]
SLACK_BYTES = 2**16
"""What Python objects, such as a pool of threads, may take beside the arrays."""


def read(layouts: Layouts, wanted: Sequence[Any]) -> None:
    for each in wanted:
        if isinstance(each, str):
            getattr(layouts, each)
        else:
            layouts.edge_column(*each)


def held_bytes(graph: Graph) -> int:
    """Bytes of all arrays in the layouts that are not part of the edges' own storage."""
    layouts = graph.layouts
    arrays = [*layouts._arrays.values(), *(copy for _, copy in layouts._permuted.values())]
    own = [*graph.edges.endpoints(), graph.edges.stored("weight")]
    copies = {id(array): array for array in arrays}.values()
    return sum(
        array.nbytes for array in copies if not any(np.shares_memory(array, each) for each in own)
    )


@given(
    graphs(weighted=True),
    st.lists(st.sampled_from([*LAYOUTS, *COLUMNS]), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_kept_bytes_are_known_before_building(graph, wanted, narrow, in_order):
    if in_order:
        graph = graph.prepared(dedup="first")
    with pytest.MonkeyPatch.context() as patch:
        if narrow:
            patch.setattr(widths, "FIRST_WIDE_UNSIGNED", 6)
        expected = graph.layouts.bytes_of(*wanted)
        assert graph.layouts.nbytes() == 0
        read(graph.layouts, wanted)
        assert graph.layouts.nbytes() == expected
    assert held_bytes(graph) == expected


@pytest.mark.parametrize(("directed", "in_order"), [(True, False), (False, False), (False, True)])
@pytest.mark.parametrize("wanted", [*LAYOUTS, *COLUMNS, ("weight", np.dtype("i4"), "slot")])
def test_scratch_bytes_bound_what_building_takes(monkeypatch, directed, in_order, wanted):
    monkeypatch.setattr(build, "FIRST_COMPILED", 0)
    monkeypatch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)
    monkeypatch.setattr(build.config, "num_threads", 3)
    random = np.random.default_rng(7)
    ends = random.integers(20_000, size=(2, 200_000))
    if in_order:
        ends = np.sort(ends, axis=0)[:, np.lexsort(np.sort(ends, axis=0)[::-1])]
    graph = Graph.from_edges(*ends, directed=directed, weight=np.arange(200_000.0))
    read(Graph.from_edges(*ends, directed=directed, weight=1.0).layouts, [wanted])  # compiles
    kept, scratch = graph.layouts.bytes_of(wanted), graph.layouts.scratch_bytes_of(wanted)
    assert (graph.layouts.ordered is not None) == in_order
    gc.collect()
    tracemalloc.start()
    try:
        read(graph.layouts, [wanted])
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept <= now <= kept + SLACK_BYTES
    assert peak <= kept + scratch + SLACK_BYTES


def test_unknown_layout_or_column_is_refused():
    layouts = Graph().layouts
    with pytest.raises(ArgumentError, match=r"no layout 'out_row'.*Did you mean 'out_rows'"):
        layouts.bytes_of("out_row")
    with pytest.raises(ColumnError, match="no column 'weight'"):
        layouts.bytes_of(("weight", np.dtype("f4"), "arc"))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("order", ["edge", "arc", "slot"])
def test_what_an_array_is_permuted_by_are_layouts(directed, order):
    layouts = Graph.from_edges([2, 0, 1], [0, 1, 1], directed=directed).layouts
    wanted = layouts.arrays_to_permute(order)
    assert len(set(wanted)) == len(wanted)
    assert layouts.bytes_of(*wanted) >= 0  # refuses what is no layout
