"""What is written where messages wait: what a send does, and what comes after it."""

from __future__ import annotations

import re

import pytest

import emv
from emv import Edge, MessageList, Vertex, edge, i64, mlist, program, vertex
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import compile_program

WORDS = r"\w+_if|take_\w+|fetch_\w+|exchange|enqueue|append|hang|put_first|next_place"
ATOMIC = re.compile(rf"\b(?:{WORDS})\(")


class Place(Vertex):
    x: i64 = 0


@edge
def tell(e: Edge[Place]):
    e.send(e.src.x)
    e.send(e.dst.x)


@vertex
def keep(v: Place, x: i64):
    v.x = x


@mlist
def ignore(v: Place, heard: MessageList[i64]):
    return v.x


first = emv.combiner(lambda a, b: b if a < 0 else a, -1)


@program
def to_all(g):
    for _ in g.supersteps(2):
        keep(g, emv.max(tell(g)))


@program
def to_receivers(g):
    told = tell(g.active)
    keep(told.receivers, emv.max(told))


@program
def folded_beside_a_list(g):
    told = tell(g.edges)
    ignore(g, told)
    return first(told)


def phases(made, name: str, target: str) -> dict[str, str]:
    """Return the text of every function of the kernels, by what comes after the launch's name."""
    arguments = sort_arguments(made.python, made.bind, (), {}, emv.buffer(name))
    compiled = compile_program(made.python, made.bind, arguments, made.loc, False, target)
    functions = re.split(r"\n(?=@)", compiled.source.text)
    found = {re.search(r"def (\w+)", each)[1]: each for each in functions if "def " in each}
    return {re.sub(r"^tell_max_keep_\d+_", "", key): text for key, text in found.items()}


@pytest.mark.paper("S47", "S49")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", ["slots", "sender"])
def test_a_send_into_slots_is_a_store_to_a_place_of_the_arc(name, target):
    found = phases(to_all, name, target)
    body = found["send"].replace("next_block(", "")
    assert not ATOMIC.search(body)
    arc = "slot_of_arc[arc]" if name == "slots" else "arc"
    assert [f"np.int64({arc}) * 2{site}" in body for site in (" + 0", " + 1")] == [True, True]
    between = [each for each in found if each.startswith(("group", "lay_out"))]
    assert not between
    assert ("collect" in found) == (name == "sender")


@pytest.mark.paper("S9")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_all_slots_are_folded_in_equal_shares(target):
    found = phases(to_all, "slots", target)
    assert {"fold_shares", "fold_parts"} <= found.keys()
    assert "fold" not in found
    assert ("shfl" in found["fold_shares"] or "before_int" in found["fold_shares"]) == (
        target == "cuda"
    )
    some = phases(to_receivers, "slots", target)
    assert {"fold_shares", "fold_parts", "fold"} <= some.keys()


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", ["grouped", "lists"])
def test_what_is_appended_never_costs_a_pass_over_all_vertices_or_arcs(name, target):
    found = phases(to_receivers, name, target)
    for phase in ("forget_receivers", "send", "group_stretches", "group_messages", "lay_out"):
        walks = re.findall(r"NUM_(?:VERTICES|ARCS|EDGES)\b", found.get(phase, ""))
        assert not walks, phase
    assert not [each for each in found if each.startswith("group_sort")]  # a maximum has no order


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_what_a_combiner_of_the_users_folds_is_in_order_beside_a_list_that_nobody_reads(target):
    found = phases(folded_beside_a_list, "grouped", target)
    assert [each for each in found if "sort" in each]
