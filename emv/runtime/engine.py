"""The compiled half of a program: its kernels by kinds of arguments, and running or showing them.

Kept apart from `program` so that defining programs loads neither passes nor code generation.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

from emv.config import config
from emv.errors import ArgumentError, Loc
from emv.runtime.arguments import Arguments
from emv.runtime.compile import Compiled, compile_program, is_current, schedule_key, trace_key
from emv.runtime.execute import execute, make_plan
from emv.runtime.explain import explained
from emv.runtime.host import HostRun, run_on_host
from emv.runtime.memory import MemoryPlan, plan_memory
from emv.runtime.report import tell_end, tell_kernels, tell_start
from emv.runtime.run import Run


class Engine:
    """What has been compiled of one program function.

    Attributes
    ----------
    python : function
        What the user wrote.
    bind : dict
        Which parameters supply columns.
    host_loop : bool
        Whether the host drives its loops.
    """

    def __init__(self, python: Any, bind: dict[str, Any], host_loop: bool, loc: Loc) -> None:
        self.python = python
        self.bind = bind
        self.host_loop = host_loop
        self.loc = loc
        self.kept: dict[Any, Compiled] = {}

    def compiled(self, graph: Any, arguments: Arguments) -> Compiled:
        """Return the kernels' text for these kinds of arguments, made when they are new."""
        wide = graph.num_vertices >= 2**31 or graph.num_arcs >= 2**32
        key = (wide, *schedule_key(), *trace_key(arguments))
        known = self.kept.get(key)
        if known is None or not is_current(known, self.python):
            known = compile_program(self.python, self.bind, arguments, self.loc, wide)
            self.kept[key] = known
        return known

    def run(
        self,
        graph: Any,
        arguments: Arguments,
        seed: int,
        callback: Callable[[int, dict[str, Any]], Any] | None,
    ) -> Run:
        """Run on a graph."""
        tell_start(self.python.__name__, "cpu", config.num_threads, graph)
        if self.host_loop:
            run = self.run_on_host(graph, arguments, seed, callback)
            for piece in self.kept.values():
                tell_kernels(piece)
        else:
            compiled = self.compiled(graph, arguments)
            tell_kernels(compiled)
            run = execute(compiled, graph, arguments, seed, callback, load(compiled))
        tell_end(run)
        return run

    def run_on_host(
        self,
        graph: Any,
        arguments: Arguments,
        seed: int,
        callback: Callable[[int, dict[str, Any]], Any] | None,
    ) -> Run:
        """Run a program whose loops the host drives."""
        run = HostRun(
            self.python.__name__,
            self.loc,
            graph,
            arguments,
            self.bind,
            seed,
            load,
            self.kept,
            callback,
        )
        return run_on_host(self.python, run)

    def explain(self, graph: Any, arguments: Arguments) -> str:
        """Return program, effects, schedule and memory."""
        if self.host_loop:
            return "\n".join(map(explained, self.segments("explain")))
        text = explained(self.compiled(graph, arguments))
        return f"{text}\n{self.memory_plan(graph, arguments)}\n"

    def memory_plan(self, graph: Any, arguments: Arguments) -> MemoryPlan:
        """Return the bytes of a run."""
        if self.host_loop:
            raise ArgumentError(
                f"{self.python.__name__}() is driven by the host, so its memory is known piece by "
                "piece, while it runs",
                self.loc,
                "Use g.supersteps(limit, until=...) instead of Python's own control flow and leave "
                "host_loop out.",
            )
        compiled = self.compiled(graph, arguments)
        return plan_memory(make_plan(compiled, graph, arguments, config.num_threads))

    def source(self, graph: Any, arguments: Arguments) -> str:
        """Return the text of the kernels."""
        if self.host_loop:
            return "\n\n".join(each.source.text for each in self.segments("show"))
        return self.compiled(graph, arguments).source.text

    def segments(self, verb: str) -> list[Compiled]:
        """Return the pieces that runs of a host-driven program have compiled so far."""
        if not self.kept:
            raise ArgumentError(
                f"there is nothing to {verb} yet: {self.python.__name__}() is driven by the host, "
                "and its pieces are compiled while it runs",
                self.loc,
                "Run it once on some graph first.",
            )
        return list(self.kept.values())


def load(compiled: Compiled) -> int:
    """Load a program's kernels, and return the number of threads they may use."""
    cpu = importlib.import_module("emv.backends.cpu")  # numba loads only to run
    if compiled.module is None:
        started = time.perf_counter()
        compiled.module = cpu.load(compiled.source)
        compiled.seconds += time.perf_counter() - started
    count: int = cpu.set_threads(config.num_threads)
    return count
