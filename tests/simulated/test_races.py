"""The race detector of the simulated GPU: what orders two accesses, what does not, what it says."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from far_stores import only_marked
from numba import uint64
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Graph, Vertex, i32, program, vertex
from emv.backends.simulated import races as simulated_races
from emv.backends.simulated.launch import simulate
from emv.backends.simulated.races import RaceError
from emv.ir.kernel import KernelSource

HEAD = """
import numpy as np
from numba import cuda, int32, int64, uint64
from emv_kernels.cuda.atomics import fetch_min, min_if, take_flag
from emv_kernels.cuda.grid import add_acquire_release, load_acquire, store_release
from emv_kernels.cuda.grid import arrive, release, wait
from emv_kernels.cuda.sweeps import fresh

ALL = 0xffffffff

def program(state, flags, x, out):
    t = cuda.threadIdx.x
    me = cuda.grid(1)
    block = cuda.blockIdx.x
    generation = 0
    seen = 0
"""
PLACES = 256


def run(body: str, lines: object = None, name: str = "body", **options: object) -> np.ndarray:
    """Run a kernel body on two blocks of two warps; return its array ``out``."""
    text = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    names = ("state", "flags", "x", "out")
    source = KernelSource(name, text, {"program": names}, {}, lines or {}, shared_bytes=8192)
    arrays = {name: np.zeros(PLACES, np.int64) for name in names}
    simulate(source, arrays, **{"block": 64, "blocks": 2, **options})
    return arrays["out"]


GRID = "arrive(state, 2) == 0 and release(state, 2, 0)\nwait(state, 2, 0)"
FLAG = """
x[me] = 1
{release}
while block == 1 and {acquire} == 0:
    pass
"""
ORDERED = {
    "one thread": "x[me] = t\nout[me] = x[me]",
    "a barrier of the block": "x[me] = t\ncuda.syncthreads()\nout[me] = x[me ^ 63]",
    "a vote of the block": "x[me] = t\ncuda.syncthreads_or(t)\nout[me] = x[me ^ 63]",
    "a barrier of the warp": "x[me] = t\ncuda.syncwarp()\nout[me] = x[me ^ 31]",
    "barriers of half warps": "x[me] = t\ncuda.syncwarp(0xffff << (t & 16))\nout[me] = x[me ^ 15]",
    "a barrier of the grid": f"x[me] = t\n{GRID}\nout[me] = x[me ^ 127]",
    "a load, then a shuffle": "out[me] = x[me ^ 31]\ncuda.shfl_sync(ALL, 0, 0)\nx[me] = t",
    "a load, then a vote": "out[me] = x[me ^ 31]\ncuda.ballot_sync(ALL, True)\nx[me] = t",
    "a release and an acquire": """
if me == 0:
    x[7] = 1
    store_release(flags, 0, 1)
if me == 64:
    while load_acquire(flags, 0) == 0:
        pass
    out[0] = x[7]
""",
    "releases that add up": """
x[me] = 1
cuda.syncthreads()
if t == 0 and add_acquire_release(flags, 0, 1) == 1:
    out[0] = x[5] + x[69]
""",
    "atomics": "cuda.atomic.add(x, 0, 1)\ncuda.atomic.max(x, 0, 5)",
    "atomics that may fail": "cuda.atomic.cas(x, 0, 0, 1)\ntake_flag(True, flags, 3)",
    "a constant that all agree on": f"x[0] = 7\n{GRID}\nout[me] = x[0]",
    "a load that looks for what changes": "fresh(x, me ^ 1)\nx[me] = 1",
    "a look before an atomic": "min_if(True, x, 0, -t)",
    "a load that is dropped": "seen = x[me ^ 1]\nx[me] = 1",
    "shared memory of each block": """
mine = cuda.shared.array(1, int64)
if t == 0:
    mine[0] = block
cuda.syncthreads()
out[me] = mine[0]
""",
    "parts of the memory of the launch": """
words = cuda.shared.array(0, int32)
wide = cuda.shared.array(0, uint64)
words[t] = t
wide[32 + t] = t
""",
}
RACES = {
    "a store and a load": "x[me] = t\nout[me] = x[me ^ 1]",
    "a load and a store": "out[me] = x[me ^ 1] + 1\nx[me] = t",
    "a load that is used later": (
        "seen = x[me ^ 1]\nx[me] = t\ncuda.syncthreads()\nout[me] = seen + 1"
    ),
    "stores of different numbers": "x[0] = me",
    "a store and a load in other blocks": "x[me] = t\ncuda.syncthreads()\nout[me] = x[me ^ 64]",
    "a store and a load in other warps": "x[me] = t\ncuda.syncwarp()\nout[me] = x[me ^ 32]",
    "a store, then a shuffle": "x[me] = t\ncuda.shfl_sync(ALL, 0, 0)\nout[me] = x[me ^ 1] + 1",
    "a store, then a vote": "x[me] = t\ncuda.any_sync(ALL, True)\nout[me] = x[me ^ 1] + 1",
    "a load, a shuffle of another warp": """
seen = x[me ^ 32] + 1
cuda.shfl_sync(ALL, 0, 0)
x[me] = t
""",
    "half of a warp": "x[me] = t\ncuda.syncwarp(0xffff << (t & 16))\nout[me] = x[me ^ 16] + 1",
    "a plain flag": """
if me == 0:
    x[7] = 1
    cuda.atomic.exch(flags, 0, 1)
if me == 64:
    while fresh(flags, 0) == 0:
        pass
    out[0] = x[7] + 1
""",
    "a store and an atomic": "if me == 3:\n    x[0] = 4\ncuda.atomic.add(x, 0, 1)",
    "a load and an atomic": "out[me] = x[0] + 1\ncuda.atomic.add(x, 0, 1)",
    "an atomic and a load": "cuda.atomic.add(x, 0, 1)\nout[me] = x[0] + 1",
    "an atomic and a look of one's own": "if x[0] > -t:\n    fetch_min(x, 0, -t)",
    "a constant and who reads it": "x[0] = 7\nif me == 5:\n    out[0] = x[0] + 1",
    "shared memory": """
rows = cuda.shared.array(64, int64)
rows[t] = t
out[me] = rows[t ^ 32] + 1
""",
    "two arrays that are one memory": """
words = cuda.shared.array(0, int32)
wide = cuda.shared.array(0, uint64)
words[2 * t] = t
out[me] = np.int64(wide[t ^ 32]) + 1
""",
    "after half a barrier": f"{GRID}\nx[me] = t\narrive(state, 2)\nout[me] = x[me ^ 64] + 1",
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("what", ORDERED)
def test_what_is_ordered_or_agreed_on_is_no_race(what, seed):
    run(ORDERED[what], seed=seed)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("what", RACES)
def test_what_nothing_orders_is_a_race(what, seed):
    with pytest.raises(RaceError, match="nothing orders"):
        run(RACES[what], seed=seed)


def test_stops_do_not_matter():
    """It is no matter of luck: threads that run to their end one after another race as well."""
    with pytest.raises(RaceError):
        run(RACES["a load and a store"], stops=0)
    run(ORDERED["a barrier of the grid"], stops=0)


def test_both_lines_and_those_of_the_user_are_told():
    first = HEAD.count("\n") + 1
    lines = {first: ("mine.py", 11), first + 4: ("mine.py", 13)}
    body = "if me == 0:\n    x[7] = 5\nif me == 64:\n    seen = x[7]\n    out[0] = seen + 1"
    with pytest.raises(RaceError) as raised:
        run(body, {line + 1 if line == first else line: at for line, at in lines.items()})
    said = str(raised.value)
    assert said.startswith("x[7]: nothing orders what two threads do there")
    assert f":{first + 1} program: x[7] = 5\n    of mine.py:11" in said
    assert f":{first + 3} program: seen = x[7]\n    of no line of a user's" in said
    assert f":{first + 4} program: out[0] = seen + 1\n    of mine.py:13" in said
    assert "thread 0 of block 0 writes it" in said
    assert "thread 0 of block 1 reads it" in said


def test_lines_of_device_code_are_told():
    with pytest.raises(RaceError) as raised:
        run("x[0] = 3\nmin_if(True, x, 0, -t)")
    assert "program: min_if(True, x, 0, -t)" in str(raised.value)
    assert "in atomics.py:" in str(raised.value)


@pytest.mark.parametrize("name", simulated_races.STRONG)
def test_functions_that_may_race_are_there(name):
    module, function = name.split(".")
    assert callable(getattr(importlib.import_module(f"emv_kernels.cuda.{module}"), function))


def test_words_of_64_bits_are_two_of_32():
    assert uint64.bitwidth == 64
    body = "words = cuda.shared.array(0, int32)\nwide = cuda.shared.array(0, uint64)\nwide[t] = 1\n"
    assert run(body + "cuda.syncthreads()\nout[t] = words[2 * t]")[:64].tolist() == [1] * 64


@pytest.mark.parametrize("shift", [1, 31])
def test_a_store_to_a_conditional_index_is_seen(shift, monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    graph = Graph.from_edges(np.arange(63), np.arange(1, 64))
    found = only_marked(graph, shift, 64, backend="cuda")
    assert np.asarray(found).tolist() == only_marked(graph, shift, 64, backend="python").tolist()


class Bell(Vertex):
    rung: i32 = 0


@vertex
def wake_again(v: Bell):
    v.rung += 1
    v.activate()


@program
def waking_at_the_end(g):
    wake_again(g.active)
    return g.vertices.rung


def test_what_is_noted_at_the_end_waits_for_who_reads_it(monkeypatch):
    """That the active set is stale is asked first of all, by every thread."""
    install(SimulatedDriver(), monkeypatch)
    graph = Graph.from_edges(np.arange(63), np.arange(1, 64))
    found = waking_at_the_end(graph, backend="cuda", schedule=emv.all_active())
    assert not np.asarray(found).any()
