"""emv: graph algorithms as a few decorated Python functions, run at the speed of compiled code.

Import the module and, by name, the decorators and types a program uses::

    import emv
    from emv import Edge, Vertex, edge, f32, inf, program, vertex
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emv import backends as _backends  # noqa: F401 - tells graphs what devices there are
from emv.config import config
from emv.dtypes import f32, f64, i8, i16, i32, i64, inf, u8, u16, u32, u64
from emv.errors import EmvError
from emv.graph import Graph
from emv.imports import later
from emv.lang.batches import batch
from emv.lang.buffers import buffer
from emv.lang.frontiers import all_active, queue
from emv.lang.functions import edge, elist, message, mlist, vertex
from emv.lang.hops import hops
from emv.lang.loop_words import common, tally
from emv.lang.records import DisjointSet
from emv.lang.schedules import by_superstep, layout, near_far
from emv.lang.vectors import Vector
from emv.lang.words import (
    add_vertex,
    bitwise_or,
    combine,
    combiner,
    count,
    find,
    halt,
    keep_going,
    largest,
    randint,
    random,
    smallest,
    total,
    union,
)
from emv.lang.words import all as all
from emv.lang.words import any as any
from emv.lang.words import max as max
from emv.lang.words import min as min
from emv.lang.words import prod as prod
from emv.lang.words import sum as sum
from emv.runtime.declare import program
from emv.version import __version__ as __version__

if TYPE_CHECKING:
    from emv import algorithms as algorithms
    from emv import datasets as datasets
    from emv import gas as gas
    from emv import generators as generators
    from emv import interop as interop
    from emv import service as service
    from emv import testing as testing
    from emv import viz as viz
    from emv.backends.cuda import cuda_available
    from emv.graph.io import read, write
    from emv.graph.io.partition import read_partition, write_partition
    from emv.lang.faces import Edge, EdgeList, Mask, Message, MessageList, Vertex
    from emv.runtime.doctor import show_config
    from emv.runtime.replaying import replay
else:
    from emv.lang.records import Edge, EdgeList, Mask, Message, MessageList, Vertex

    def __getattr__(name: str) -> Any:
        """Load what is not needed to define programs when it is first asked for."""
        if name not in _LAZY:
            raise AttributeError(f"module 'emv' has no attribute {name!r}")
        value = globals()[name] = later(_LAZY[name], name)
        return value


_LAZY = {
    "algorithms": "emv.algorithms",
    "cuda_available": "emv.backends.cuda",
    "datasets": "emv.datasets",
    "gas": "emv.gas",
    "generators": "emv.generators",
    "interop": "emv.interop",
    "read": "emv.graph.io",
    "read_partition": "emv.graph.io.partition",
    "replay": "emv.runtime.replaying",
    "service": "emv.service",
    "show_config": "emv.runtime.doctor",
    "testing": "emv.testing",
    "viz": "emv.viz",
    "write": "emv.graph.io",
    "write_partition": "emv.graph.io.partition",
}


def __dir__() -> list[str]:
    """Return every name, also of what is not loaded yet."""
    return sorted({*globals(), *_LAZY})


# sum, prod, min, max, any and all are reached as emv.sum ..., so that no star import shadows
# Python's own.
__all__ = [
    "DisjointSet",
    "Edge",
    "EdgeList",
    "EmvError",
    "Graph",
    "Mask",
    "Message",
    "MessageList",
    "Vector",
    "Vertex",
    "add_vertex",
    "all_active",
    "batch",
    "bitwise_or",
    "buffer",
    "by_superstep",
    "combine",
    "combiner",
    "common",
    "config",
    "count",
    "cuda_available",
    "edge",
    "elist",
    "f32",
    "f64",
    "find",
    "halt",
    "hops",
    "i8",
    "i16",
    "i32",
    "i64",
    "inf",
    "keep_going",
    "largest",
    "layout",
    "message",
    "mlist",
    "near_far",
    "program",
    "queue",
    "randint",
    "random",
    "read",
    "read_partition",
    "replay",
    "show_config",
    "smallest",
    "tally",
    "total",
    "u8",
    "u16",
    "u32",
    "u64",
    "union",
    "vertex",
    "write",
    "write_partition",
]
