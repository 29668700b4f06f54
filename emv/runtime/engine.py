"""The compiled half of a program: its kernels by kinds of arguments, and running or showing them.

Kept apart from `program` so that defining programs loads neither passes nor code generation.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from emv.config import config
from emv.errors import ArgumentError, LanguageError, Loc
from emv.graph.widths import id_dtype
from emv.passes.follow_schedule import check_asked
from emv.runtime.arguments import Arguments
from emv.runtime.compile import (
    Compiled,
    compile_program,
    is_current,
    schedule_key,
    shift_of,
    trace_key,
)
from emv.runtime.execute import execute, make_plan
from emv.runtime.explain import explained, explained_words
from emv.runtime.host import HostRun, run_on_host
from emv.runtime.memory import MemoryPlan
from emv.runtime.report import tell_end, tell_kernels, tell_start
from emv.runtime.run import Run
from emv.runtime.targets import Callback, Target

if TYPE_CHECKING:
    from emv.viz.profile import Profile


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

    def compiled(self, graph: Any, arguments: Arguments, kind: str = "cpu") -> Compiled:
        """Return the kernels' text for these kinds of arguments, made when they are new.

        Raises
        ------
        ArgumentError
            If the schedule cannot be what the call asks for.
        """
        vertices = graph.num_vertices << shift_of(arguments.copies)
        wide = id_dtype(vertices).itemsize == 8 or graph.num_arcs >= 2**32
        asked = arguments.schedule
        arguments = replace(arguments, directed=bool(graph.directed))
        key = (kind, wide, *schedule_key(), asked.key, *trace_key(arguments))
        known = self.kept.get(key)
        if known is None or not is_current(known, self.python):
            known = compile_program(self.python, self.bind, arguments, self.loc, wide, kind)
            self.kept[key] = known
        if asked:
            check_asked(known.schedule, asked)
        return known

    def check_compiled(self, graph: Any, arguments: Arguments) -> None:
        """Refuse a schedule or a batch that compiled runs would refuse, for a run in Python.

        Raises
        ------
        ArgumentError
            If the schedule cannot be what the call asks for, or the copies of a batch cannot run
            side by side.
        """
        with contextlib.suppress(LanguageError):  # only Python can run it, so there is no schedule
            self.compiled(graph, arguments)

    def run(
        self,
        graph: Any,
        arguments: Arguments,
        seed: int,
        callback: Callback,
        target: Target,
    ) -> Run:
        """Run on a graph."""
        tell_start(self.python.__name__, target.label, config.num_threads, graph)
        if self.host_loop:
            run = self.run_on_host(graph, arguments, seed, callback, target)
            for piece in self.kept.values():
                tell_kernels(piece)
        else:
            compiled = self.compiled(graph, arguments, target.kind)
            tell_kernels(compiled)
            run = execute(compiled, graph, arguments, seed, callback, target)
        tell_end(run)
        return run

    def run_on_host(
        self,
        graph: Any,
        arguments: Arguments,
        seed: int,
        callback: Callback,
        target: Target,
    ) -> Run:
        """Run a program whose loops the host drives."""
        run = HostRun(
            self.python,
            self.loc,
            graph,
            arguments,
            self.bind,
            seed,
            target,
            self.kept,
            callback,
        )
        return run_on_host(self.python, run)

    def profile(self, graph: Any, arguments: Arguments, seed: int, target: Target) -> Profile:
        """Run on a graph and return where the time went."""
        if self.host_loop:
            raise ArgumentError(
                f"{self.python.__name__}() is driven by the host, so it has no profile of its own",
                self.loc,
                "Use g.supersteps(limit, until=...) instead of Python's own control flow and leave "
                "host_loop out; or look at the launches of a Run.",
            )
        kind = "traced" if target.kind == "cuda" else target.kind
        compiled = self.compiled(graph, arguments, kind)
        from emv.runtime.profiling import profiled  # only a profile needs it

        return profiled(compiled, graph, arguments, seed, target)

    def explain(self, graph: Any, arguments: Arguments, target: Target) -> str:
        """Return program, effects, schedule and memory."""
        if self.host_loop:
            return "\n".join(map(explained, self.segments("explain")))
        compiled = self.compiled(graph, arguments, target.kind)
        plan = make_plan(compiled, graph, arguments, target)
        asked = explained_words(compiled, arguments.schedule, plan.delta_arcs)
        return f"{explained(compiled)}{asked}\n{target.memory_plan(plan)}\n"

    def memory_plan(self, graph: Any, arguments: Arguments, target: Target) -> MemoryPlan:
        """Return the bytes of a run."""
        if self.host_loop:
            raise ArgumentError(
                f"{self.python.__name__}() is driven by the host, so its memory is known piece by "
                "piece, while it runs",
                self.loc,
                "Use g.supersteps(limit, until=...) instead of Python's own control flow and leave "
                "host_loop out.",
            )
        compiled = self.compiled(graph, arguments, target.kind)
        return target.memory_plan(make_plan(compiled, graph, arguments, target))

    def source(self, graph: Any, arguments: Arguments, target: Target) -> str:
        """Return the text of the kernels."""
        if self.host_loop:
            return "\n\n".join(each.source.text for each in self.segments("show"))
        return self.compiled(graph, arguments, target.kind).source.text

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
