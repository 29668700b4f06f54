"""The table of arrays: what each is, how long, until when; and that all targets go by it."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Graph
from emv.algorithms import bfs, clustering, components, pagerank, sssp
from emv.graph.slices import slice_of
from emv.ir.copies import SINGLE, Copies
from emv.runtime.arrays.index import INDEX, OF_SLICES
from emv.runtime.arrays.store import Store, index_bytes
from emv.runtime.arrays.table import Counts, Kind, Lifetime, Size

GRAPH = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 2], num_vertices=5, weight=[1.0, 2.0, 3.0, 4.0])
PROGRAMS = {"bfs": (bfs, 0), "sssp": (sssp, 0), "pagerank": (pagerank,), "sets": (components,)}


def table(name: str, target: str = "cpu"):
    which, *given = PROGRAMS[name]
    return compiled(which, *given, target=target).table


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_array_that_kernels_name_is_in_the_table_once(name, target):
    which, *given = PROGRAMS[name]
    made = compiled(which, *given, target=target)
    named = {each for names in made.source.functions.values() for each in names}
    assert named <= made.table.arrays.keys()
    assert made.table.arrays.keys() - named <= {"state", "ints", "floats"}
    assert all(name == each.name for name, each in made.table.arrays.items())


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_are_known_from_counts_alone(name, target):
    counts = Counts(GRAPH, SINGLE)
    counts.update(T=2, B=4, ids1=1)
    for array in table(name, target).arrays.values():
        if array.size is None:
            assert array.kind is Kind.INDEX
        else:
            assert array.nbytes(counts) == array.length(counts) * array.dtype(counts).itemsize


def test_a_part_or_a_batch_means_other_counts_for_the_same_table():
    arrays = table("bfs").arrays
    whole = Counts(GRAPH, SINGLE)
    four = Counts(GRAPH, Copies(2))
    assert (arrays["v_depth"].length(whole), arrays["v_depth"].length(four)) == (5, 20)
    assert (arrays["first_out"].length(whole), arrays["first_out"].length(four)) == (6, 6)
    assert arrays["active"].dtype(whole) == "uint32"


def test_lifetimes_say_who_keeps_what():
    arrays = table("pagerank").arrays
    assert arrays["first_in"].lifetime is Lifetime.GRAPH
    assert arrays["v_rank"].lifetime is Lifetime.RUN
    assert arrays["state"].lifetime is Lifetime.PROGRAM
    (returned,) = (each for each in compiled(clustering).table.made_per_run if is_working(each))
    assert returned.name.startswith("v")  # it goes on with the caller


def is_working(array) -> bool:
    return array.kind is Kind.WORKING


def test_a_size_tells_of_what_it_has_all():
    size = Size.of("M3*2+T*64*2")
    assert size.has_all("M3")
    assert not size.has_all("M")
    assert not Size.of("M3/2048+1").has_all("M3")  # a list of some
    assert size.entries({"M3": 10, "T": 2}) == 276
    with pytest.raises(KeyError):
        size.entries({"T": 2})


@pytest.mark.parametrize("directed", [True, False])
def test_index_arrays_are_as_long_as_the_table_says(directed):
    graph = emv.generators.random(300, 2000, directed=directed, rng=1)
    whole = [name for name in INDEX if name not in OF_SLICES]
    check_lengths(graph, Counts(graph, SINGLE), whole)
    part = slice_of(graph, 3, "hash", 1)
    check_lengths(part, Counts(part, SINGLE, graph.num_arcs), [*whole, *OF_SLICES])


def check_lengths(graph, counts, names):
    store = Store()
    for name in names:
        made = store.index(graph, name)
        at_most = index_bytes(graph, counts, name)
        is_exact = bool(INDEX[name].size)
        assert made.nbytes == at_most if is_exact else made.nbytes <= at_most, name
