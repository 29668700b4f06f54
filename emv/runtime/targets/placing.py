"""Where a program runs, and in which form it sees the graph there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from emv.config import check_backend
from emv.device import device_named
from emv.errors import ArgumentError
from emv.graph.demands import demand_undirected
from emv.graph.on_device import moved_to
from emv.runtime.arguments import Call
from emv.runtime.arrays.available import available_bytes

if TYPE_CHECKING:
    from emv.runtime.targets.target import Target


FORMS = (None, "undirected", "oriented", "both ways")
"""How a program may see graphs."""


ON_CORES, ON_A_GPU = (8, 2**19), (512, 2**28)
"""Most copies of a program that pay at once, and most entries of a column of all of them."""

ROOM = 160  # bytes that are free for every entry: four times what columns and queues take


def choose_backend(graph: Any, asked: str | None) -> str:
    """Return ``python``, ``cpu`` or a GPU: what the call, the graph or the knob asks for."""
    name = check_backend(asked or graph.device)
    if name != "auto":
        return name
    from emv.backends import cuda  # only a choice needs it

    return "cuda" if cuda.cuda_available() else "cpu"


def unrun(graph: Any, text: Any, arguments: Any) -> tuple[Any, Call]:
    """Return the engine and a call of which nothing is run: what it would be, is shown.

    Parameters
    ----------
    text : ProgramFunction
        Of the program, as the call reads it.
    arguments : Arguments
        Of the call.
    """
    name = choose_backend(graph, None)
    target = target_of("cpu" if name == "python" else name)
    return text._compiled_half(), Call(graph, arguments, target)


def copies_that_pay(backend: str, num_vertices: int) -> int:
    """Return how many copies of a program pay at once where few vertices are active at a time.

    They share supersteps, of which a GPU has few that fill it, and what a call costs; more of them
    clear and scan columns that are larger than caches or memory. A power of two; 1 in plain Python
    and on parts of a graph.

    Examples
    --------
    >>> [copies_that_pay(backend, 2**17) for backend in ("cpu", "python")]
    [4, 1]
    """
    most, entries = ON_CORES if backend == "cpu" else ON_A_GPU
    if backend != "cpu" and (backend[:4] != "cuda" or "," in backend or "/" in backend):
        return 1
    entries = min(entries, free_there(backend) // ROOM)
    return min(most, 1 << (max(1, entries // num_vertices).bit_length() - 1))


def target_of(backend: str, stream: Any = None) -> Target:
    """Return where compiled programs of a backend run; another's modules are not loaded.

    Raises
    ------
    ArgumentError
        If a stream is given for the CPU, or for several GPUs.
    """
    if backend.startswith("cuda"):
        return _gpus(backend, stream)
    if stream is not None:
        raise ArgumentError(
            f"stream= is for GPUs, and this run is on {backend!r}",
            remedy="Leave it out, or run with backend='cuda'.",
        )
    _, _, division = backend.partition("/")
    if division:
        from emv.runtime.targets.parts import Parts

        number, _, way = division.partition("/")
        return Parts(int(number), way or "ranges")
    return _cores()()


@functools.cache
def _cores() -> Callable[..., Target]:
    """Return the class of runs on cores; even to import again takes long beside a small run."""
    from emv.runtime.targets.cores import Cores

    return Cores


@functools.cache
def _gpu(name: str) -> Callable[..., Target]:
    """Return the class of runs on one GPU, which is made ready while all that is loaded."""
    from emv.backends.cuda.device import begin

    begin(name)
    from emv.runtime.targets.gpu import Gpu

    return Gpu


def _gpus(backend: str, stream: Any) -> Target:
    """Return a GPU, or several with a part of the graph each."""
    if "," not in backend:
        return _gpu(backend)(backend, stream)
    from emv.runtime.targets.gpus import Gpus

    if stream is not None:
        raise ArgumentError(
            f"stream= is for one GPU, and this run is on {backend!r}",
            remedy="Leave it out: every GPU has a stream of its own.",
        )
    return Gpus(backend)


def formed(graph: Any, form: str | None, name: str, backend: str | None = None) -> Any:
    """Return a graph in the form in which a program sees it, made where it is to run.

    Raises
    ------
    GraphError
        If the program takes undirected graphs and this one is directed.
    """
    if form == "undirected":
        demand_undirected(graph, f"{name}()")
    if form == "both ways":
        return graph.both_ways()
    if form != "oriented":
        return graph
    return graph.on(choose_backend(graph, backend)).oriented().on(graph.device)


def taken_there(graph: Any, backend: str | None, values: Any) -> Any:
    """Return values as run after run reads them best: on the GPU that these have, if it is one."""
    name = choose_backend(graph, backend)
    if not name.startswith("cuda") or "," in name:
        return values
    return moved_to(device_named(name), values)


def free_there(backend: str) -> int:
    """Return how many bytes arrays may still take where runs on a backend leave their results."""
    if not backend.startswith("cuda") or "," in backend:
        return available_bytes()
    device = target_of(backend).device
    return available_bytes() if device is None else device.free_bytes()
