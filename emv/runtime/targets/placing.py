"""Where a program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emv.config import check_backend
from emv.errors import ArgumentError

if TYPE_CHECKING:
    from emv.runtime.targets.target import Target


def choose_backend(graph: Any, asked: str | None) -> str:
    """Return ``python``, ``cpu`` or a GPU: what the call, the graph or the knob asks for."""
    name = check_backend(asked or graph.device)
    if name != "auto":
        return name
    from emv.backends import cuda  # only a choice needs it

    return "cuda" if cuda.cuda_available() else "cpu"


def target_of(backend: str, stream: Any = None) -> Target:
    """Return where compiled programs of a backend run; another's modules are not loaded.

    Raises
    ------
    ArgumentError
        If a stream is given for the CPU.
    """
    if backend.startswith("cuda"):
        from emv.runtime.targets.gpu import Gpu

        return Gpu(backend, stream)
    if stream is not None:
        raise ArgumentError(
            f"stream= is for GPUs, and this run is on {backend!r}",
            remedy="Leave it out, or run with backend='cuda'.",
        )
    from emv.runtime.targets.cores import Cores

    return Cores()
