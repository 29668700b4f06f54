"""Where the time of a first call goes, stage by stage, with an empty cache.

Seconds by the clock: LLVM is at work on other threads meanwhile, and is waited for in the end.
For a GPU the program is compiled for one of compute capability 9.0 and not run, so none is needed.
"""

from __future__ import annotations

import functools
import json
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from bench.first_call import MOST_COLD_S, caches, process
from bench.machine import ROOT
from bench.study import Row, run

CALL = "import sys; from bench.stages import staged; staged(*sys.argv[1:])"
PASSES = {
    "nopython_type_inference": "typing",
    "native_lowering": "lowering",
    "cuda_native_lowering": "lowering",
}


class Stages:
    """Adds up seconds by stage; time of a stage within another is not the other's."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self.inside = ["rest"]
        self.since = time.perf_counter()

    def turn(self, push: str | None) -> None:
        """Go into a stage, or out of the one that is the last begun."""
        now = time.perf_counter()
        self.seconds[self.inside[-1]] += now - self.since
        self.since = now
        if push is None:
            self.inside.pop()
        else:
            self.calls[push] += 1
            self.inside.append(push)

    def timed(self, stage: Callable[..., str], function: Any) -> Any:
        """Return a function whose time is a stage's."""

        @functools.wraps(function)
        def wrapped(*args: Any, **named: Any) -> Any:
            if threading.current_thread().name.startswith("emv-llvm"):
                return function(*args, **named)
            self.turn(stage(*args))
            try:
                return function(*args, **named)
            finally:
                self.turn(None)

        return wrapped

    def watch(self, owner: Any, name: str, stage: str | Callable[..., str]) -> None:
        """Let calls of a function be a stage."""
        chosen = (lambda *_: stage) if isinstance(stage, str) else stage
        setattr(owner, name, self.timed(chosen, getattr(owner, name)))


def watch_numba(stages: Stages, machinery: Any) -> None:
    """Watch numba's passes, and all that is asked of LLVM."""
    from emv_kernels import beside, lean, llvm_threads

    stages.watch(lean, "with_room", "numba's own")
    stages.watch(beside.Library, "made", "waiting")
    for each in tuple(machinery._pass_registry._registry):
        stage = PASSES.get(each._name, "other passes")
        stages.watch(each, "run_pass", stage)
    (*of, ask) = llvm_threads.ASKED[0]
    llvm_threads.ASKED[0] = (*of, stages.timed(lambda *_: "LLVM", ask))


def on_cores(stages: Stages, name: str) -> None:
    """Make a first call on cores."""
    graph, given = asked_for(name)
    stages.turn("load numba")
    from numba.core import compiler_machinery

    from emv.backends import cpu

    stages.turn(None)
    watch_numba(stages, compiler_machinery)
    cpu.begin_threads()
    watch_emv(stages)
    program(name).run(graph, *given, backend="cpu")


def on_a_gpu(stages: Stages, name: str) -> None:
    """Compile what a first call on a GPU does."""
    asked_for(name)  # loads what a call loads
    import kernel_budget  # type: ignore[import-not-found] # not a package

    watch_emv(stages)
    source, dtypes = kernel_budget.kernel_of(name)
    stages.turn("load numba")
    from numba.cuda.core import compiler_machinery
    from numba.cuda.cudadrv import nvvm

    from emv.backends.cuda import compile as cuda_compile
    from emv.backends.cuda import frugal  # noqa: F401 - is loaded here

    stages.turn(None)
    watch_numba(stages, compiler_machinery)
    stages.watch(nvvm, "compile_ir", "NVVM")
    stages.watch(cuda_compile, "link", "link")
    cuda_compile.load(source, dtypes, arch="sm_90a")


def watch_emv(stages: Stages) -> None:
    """Watch what makes a program's text."""
    from emv.runtime import engine

    stages.watch(engine, "compile_program", "text")


def program(name: str) -> Any:
    """Return an algorithm."""
    from emv import algorithms

    return algorithms.ALGORITHMS[name]


def asked_for(name: str) -> tuple[Any, Any]:
    """Return a small graph for an algorithm, and its arguments."""
    sys.path.insert(0, str(ROOT / "tests"))
    import numpy as np
    from algorithm_arguments import ARGUMENTS  # type: ignore[import-not-found] # nor this

    import emv

    directed = program(name).form != "undirected"
    src, dst = np.random.default_rng(1).integers(0, 2**10, (2, 2**13))
    graph = emv.Graph.from_edges(src, dst, directed=directed, weight=np.ones(len(src)))
    return graph, ARGUMENTS[name]


def staged(name: str, device: str) -> None:
    """Print the seconds of this process's stages, as JSON."""
    began = time.perf_counter()
    program(name)
    loaded = time.perf_counter() - began
    stages = Stages()
    (on_a_gpu if device == "cuda" else on_cores)(stages, name)
    stages.turn("end")
    print(json.dumps({"load emv": loaded, "functions": stages.calls["typing"]} | stages.seconds))


def stages(algorithms: tuple[str, ...] = (), device: str = "cpu", rounds: int = 1) -> Iterator[Row]:
    """Tell the stages of first calls, by default of every algorithm of the library.

    The least of the rounds counts. Modules are there as byte code, as a process has loaded them.
    """
    from emv.algorithms import ALGORITHMS

    with tempfile.TemporaryDirectory() as folder:
        first_call("components", device, folder)
        for name in algorithms or tuple(ALGORITHMS):
            least = min((first_call(name, device, folder) for _ in range(rounds)), key=total)
            shown, whole = {each: round(least[each], 2) for each in least}, total(least)
            yield {"algorithm": name, "s": whole, **shown, "missed": whole > MOST_COLD_S[device]}


def first_call(name: str, device: str, folder: str) -> dict[str, float]:
    """Return the stages of a first call in a process of its own, with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        kept = caches(folder) | {"EMV_CACHE": empty, "NUMBA_CACHE_DIR": empty}
        _, said = process([sys.executable, "-c", CALL, name, device], kept)
    return dict(json.loads(said.splitlines()[-1]))


def total(stages: dict[str, float]) -> float:
    """Return the seconds of all stages."""
    return sum(seconds for stage, seconds in stages.items() if stage != "functions")


if __name__ == "__main__":
    raise SystemExit(run(stages))
