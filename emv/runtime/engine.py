"""The compiled half of a program: its kernels by kinds of arguments, and running or showing them.

Kept apart from `program` so that defining programs loads neither passes nor code generation.
"""

from __future__ import annotations

import contextlib
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from emv.config import config
from emv.errors import ArgumentError, LanguageError, Loc
from emv.graph.widths import id_dtype
from emv.ir.copies import shift_for
from emv.lang.named import changes_graph, functions_named, host_remedy
from emv.passes.follow_schedule import check_asked
from emv.runtime.arguments import Arguments, Call
from emv.runtime.arrays.memory import MemoryPlan, plan_memory
from emv.runtime.compile import (
    Compiled,
    compile_program,
    schedule_key,
    trace_key,
)
from emv.runtime.drive.early import plan_of
from emv.runtime.drive.execute import execute, run_again
from emv.runtime.report import (
    explained,
    explained_changes,
    explained_words,
    met,
    tell_end,
    tell_kernels,
    tell_start,
)
from emv.runtime.run import Run
from emv.runtime.targets.handed import handed_before
from emv.runtime.texts import check_form

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.parameters import Met
    from emv.shown.profile import Profile


PROFILED = {"cuda": "traced", "grids": "gpus", "peers": "gpus"}
"""What kernels are written for when they are profiled, where it is not what they run as."""


class Engine:
    """What has been compiled of one program function.

    Attributes
    ----------
    python : function
        What the user wrote.
    bind : dict
        Which parameters supply columns.
    is_of_host : bool
        Whether it says that the host drives its loops.
    kept : dict
        Kernels by the kinds of arguments that they are for.
    deductions : dict
        How results of these can be brought to a later version.
    """

    def __init__(self, python: Any, bind: dict[str, Any], is_of_host: bool, loc: Loc) -> None:
        self.python = python
        self.bind = bind
        self.is_of_host = is_of_host
        self.loc = loc
        self.kept: dict[Any, Compiled] = {}
        self.deductions: weakref.WeakKeyDictionary[Compiled, Any] = weakref.WeakKeyDictionary()

    @property
    def host_loop(self) -> bool:
        """Whether the host drives its loops, so that it is compiled in pieces while it runs."""
        return self.is_of_host or changes_graph(self.python)

    def compiled(self, graph: Any, arguments: Arguments, kind: str = "cpu") -> Compiled:
        """Return the kernels' text for these kinds of arguments, made when they are new.

        Raises
        ------
        ArgumentError
            If the schedule cannot be what the call asks for.
        """
        key, wide, directed = self.key(graph, arguments, kind)
        known = self.known(key)
        if known is None:
            meant = replace(arguments, directed=directed)
            known = compile_program(self.python, self.bind, meant, self.loc, wide, kind)
            self.kept[key] = known
        if arguments.schedule:
            check_asked(known.schedule, arguments.schedule)
        return known

    def key(self, graph: Any, arguments: Arguments, kind: str) -> tuple[Any, bool, bool]:
        """Return what kernels are kept by, whether ids are wide, and whether edges lead one way."""
        copies, layouts = arguments.copies, graph.layouts
        vertices = layouts.num_vertices << (shift_for(arguments.num_copies) if copies else 0)
        wide = id_dtype(vertices).itemsize == 8 or layouts.num_arcs >= 2**32
        directed = bool(layouts.directed)
        kinds = trace_key(arguments)
        key = (kind, wide, directed, *schedule_key(), arguments.schedule.key, *kinds)
        return key, wide, directed

    def known(self, key: Any) -> Compiled | None:
        """Return kernels that were made before, if all names still mean what they meant then."""
        found = self.kept.get(key)
        is_right = found is not None and found.meant is not None and found.meant.holds()
        return found if is_right else None

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

    def met(self, call: Call) -> Compiled | None:
        """Return the kernels that the last equal call had, if they fit this one.

        To put together what kernels are kept by takes longer than to compare the graph.
        """
        met = call.met
        if met is None or met.compiled is None or met.knobs != schedule_key():
            return None
        return met.compiled if met.compiled.meant.holds() else None

    def remember(self, call: Call, compiled: Compiled | None) -> Compiled | None:
        """Let the next equal call find its kernels."""
        if compiled is not None and call.met is not None:
            call.met.compiled, call.met.knobs = compiled, schedule_key()
        return compiled

    def again(
        self, plan: Plan, graph: Any, met: Met, seed: int, callback: Any, asked: Any
    ) -> Run | None:
        """Return what a call gives that equals the last one on a plan; None if it may not.

        To look at all that a call may be about takes longer than a small run.
        """
        begun, compiled = plan.begun, plan.compiled
        if begun is None or begun.changes != met.changes or compiled is not met.compiled:
            return None
        if config.debug or config.dump or config.nvtx or met.knobs != schedule_key():
            return None
        if plan.target.begins_ahead:
            return run_again(plan, graph, met, seed, callback, asked)
        if begun.again is None:
            from emv.runtime.drive.again import again_on_cores  # which loads numba

            begun.again = again_on_cores(plan) or False
        return begun.again(plan, graph, seed, asked) if begun.again and callback is None else None

    def run(self, call: Call) -> Run:
        """Run on a graph."""
        if config.debug:
            tell_start(self.python.__name__, call.target.label, config.num_threads, call.graph)
        compiled = self.met(call)
        if compiled is None:
            key, _, _ = self.key(call.graph, call.arguments, call.target.kind)
            compiled = self.remember(call, self.known(key))
            if compiled is None and self.host_loop:
                return self.run_on_host(call)
            if compiled is None or call.arguments.schedule:
                compiled = self.compiled(call.graph, call.arguments, call.target.kind)
                call.target.ahead(compiled, call.graph)
        if config.debug or config.dump:
            tell_kernels(compiled)
        run = execute(compiled, call)
        if config.debug:
            tell_end(run)
        return run

    def run_on_host(self, call: Call) -> Run:
        """Run a program whose loops the host drives, piece by piece."""
        from emv.runtime.drive.changing import run_on_host  # few programs are such

        run = run_on_host(self.python, self.loc, self.bind, call, self.kept)
        for piece in self.kept.values():
            tell_kernels(piece)
        tell_end(run)
        return run

    def profile(self, call: Call) -> Profile:
        """Run on a graph and return where the time went."""
        if self.host_loop:
            raise self.refused("it has no profile of its own", "; or look at the launches of a Run")
        kind = call.target.kind
        kind = PROFILED.get(kind.partition("/")[0], kind)
        compiled = self.compiled(call.graph, call.arguments, kind)
        from emv.runtime.profile.recording import profiled  # few ask for one

        return profiled(compiled, call)

    def deduced(self, call: Call) -> Any:
        """Return how a result can be brought to a later version; see `emv.runtime.updating`."""
        from emv.runtime.updating import deduced  # few ask for it

        compiled = self.compiled(call.graph, call.arguments, call.target.kind)
        if compiled not in self.deductions:
            self.deductions[compiled] = deduced(compiled.program, compiled.schedule)
        return self.deductions[compiled]

    def explain(self, call: Call) -> str:
        """Return program, effects, schedule and memory."""
        if self.host_loop:
            changes = explained_changes(functions_named(self.python))
            if changes and not self.kept:
                return f"{changes}    its pieces are compiled while it runs: run it to see them\n"
            return "\n".join([changes, *map(explained, self.segments("explain"))]).lstrip("\n")
        compiled = self.compiled(call.graph, call.arguments, call.target.kind)
        asked = explained_words(compiled, call.arguments.schedule, call.target.delta_arcs)
        plan = plan_of(compiled, call)
        parts = f"{met(compiled)}{handed_before(plan)}"
        return f"{explained(compiled)}{asked}{parts}\n{plan_memory(plan)}\n"

    def memory_plan(self, call: Call) -> MemoryPlan:
        """Return the bytes of a run."""
        if self.host_loop:
            raise self.refused("its memory is known piece by piece, while it runs")
        compiled = self.compiled(call.graph, call.arguments, call.target.kind)
        return plan_memory(plan_of(compiled, call))

    def source(self, call: Call, form: str = "python") -> str:
        """Return the text of the kernels, or what they are compiled to."""
        check_form(self.python.__name__, form, call.target)
        if form != "python" and self.host_loop:
            raise self.refused(f"there is no one kernel to show as {form}")
        if self.host_loop:
            return "\n\n".join(each.source.text for each in self.segments("show"))
        compiled = self.compiled(call.graph, call.arguments, call.target.kind)
        return compiled.source.text if form == "python" else assembled(compiled, call, form)

    def refused(self, why: str, instead: str = "") -> ArgumentError:
        """Return the error of what a program lacks whose loops the host drives."""
        return ArgumentError(
            f"{self.python.__name__}() is driven by the host, so {why}",
            self.loc,
            host_remedy(self.python, instead),
        )

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


def assembled(compiled: Compiled, call: Call, form: str) -> str:
    """Return what a program is compiled to for a graph, whose arrays are laid out for it."""
    target: Any = call.target  # a GPU, as `check_form` has seen
    with target.running(compiled):
        plan = plan_of(compiled, call)
        try:
            plan.bind()
            return str(target.assembly(plan, form))
        finally:
            plan.abandon()
