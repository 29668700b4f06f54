"""From a program function and the kinds of its arguments to loaded kernels, each step kept.

A program is traced once per set of constants (texts, truth values) and kinds of arguments; numbers
that vary from run to run never lead here again.
"""

from __future__ import annotations

import functools
import itertools
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from emv.codegen.module import ModuleText
from emv.codegen.user_text import combiners_in
from emv.config import config
from emv.errors import ArgumentError
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.copies import shift_for
from emv.ir.kernel import KernelSource
from emv.lang.endless import refuse_endless
from emv.lang.listed import ArrayStandIn
from emv.lang.trace import TracedGraph, Tracer
from emv.lang.traced import TracedScalar
from emv.passes import make_schedule
from emv.passes.around import Setting
from emv.passes.meet import why_apart
from emv.runtime.arguments import Arguments
from emv.runtime.arrays.table import Table, table_of
from emv.runtime.arrays.taken import Taken
from emv.runtime.called import Called
from emv.runtime.meant import Meant

DIVIDED = {"parts": "cpu", "gpus": "cuda", "grids": "cuda", "peers": "cuda"}
"""Forms of programs on parts, and what their kernels are written for."""


LATE = object()
"""Of a result that nobody knows before the run is over, nor where to read it."""


@dataclass(eq=False)
class Compiled:
    """Everything made of a program for one width of ids.

    What runs leave for later ones is kept by a graph's layouts, which views of the graph share and
    growth replaces.
    """

    program: p.Program
    schedule: s.Schedule
    slots: dict[Any, s.Slot]
    source: KernelSource
    table: Table
    names: dict[int, str]  # functions of the kernels, by the `id` of their steps
    relaxing: dict[int, tuple[str, int]]  # of loops: that which relaxes, and who says if it may
    functions: list[Any]  # the user's, each once
    files: list[str]  # that hold them
    meant: Meant | None = None  # what names of the program and its functions meant
    module: Any = None  # loaded when first run
    calls: dict[str, Any] = field(default_factory=dict)  # of its functions that are compiled
    seconds: float = 0.0
    kernels: dict[Any, Any] = field(default_factory=dict)  # by device and types of arrays
    grids: int = 0  # how many kernels meet, one for each part
    apart: str = ""  # why they do not, where they were to
    prepared: Any = field(default_factory=weakref.WeakKeyDictionary)  # for runs, by layouts
    plans: Any = field(default_factory=weakref.WeakKeyDictionary)  # that runs left, by layouts
    in_all: tuple[int, int] | None = None  # entries and bytes of a run, as they were counted
    rooms: Any = field(default_factory=weakref.WeakKeyDictionary)  # what runs needed, by layouts
    acts: dict[int, Any] = field(default_factory=dict)  # of drivers, by the `id` of the steps
    asks: dict[int, Any] = field(default_factory=dict)  # what steps ask of parts, by their hops

    @functools.cached_property
    def early_slots(self) -> list[tuple[Any, s.Slot]]:
        """The slots of scalars that are known before a run."""
        known = p.ScalarParameter | p.GraphNumber
        return [each for each in self.slots.items() if isinstance(each[0], known)]

    @functools.cached_property
    def early_steps(self) -> tuple[s.SetScalar, ...]:
        """The scalars that a program on cores begins with, as far as they are known before a run.

        They are put with what they are made of, which equal calls find there.
        """
        found = () if "program" in self.source.functions else self.schedule.body
        return tuple(itertools.takewhile(is_early, found))

    @functools.cached_property
    def late_steps(self) -> tuple[Any, ...]:
        """The steps behind these."""
        return self.schedule.body[len(self.early_steps) :]

    @functools.cached_property
    def result_places(self) -> tuple[list[tuple[Any, Any]], bool]:
        """Where results are: columns that are written by their keys, else slots, else `LATE`.

        With them whether any is known only behind the run. Those of a batch lie elsewhere.
        """
        results = self.program.results
        several = results if isinstance(results, tuple) else (results,)
        places = [self.place_of(each) for each in several]
        return places, isinstance(results, tuple) or any(key is None for key, _ in places)

    def place_of(self, value: Any) -> tuple[Any, Any]:
        """Return the key of a column that is written, or None; and where else a result is read."""
        if isinstance(value, p.Column):
            key = value.kind, value.name
            return (key if key in self.schedule.written & self.table.columns.keys() else None), LATE
        return None, self.slots.get(value, LATE) if isinstance(value, p.Scalar) else LATE

    @functools.cached_property
    def taken(self) -> dict[str, Taken]:
        """What takes the arrays of each function of the kernels."""
        return {name: Taken(names) for name, names in self.source.functions.items()}

    @functools.cached_property
    def called(self) -> Called:
        """What Python calls of the kernels on cores."""
        return Called(self.schedule.body, self.names, self.relaxing)

    def take_seconds(self) -> float:
        """Return the time spent making and loading the kernels since it was last asked for."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds


def is_early(step: Any) -> bool:
    """Return whether a step sets a scalar to what numbers, parameters and the graph's size tell."""
    return isinstance(step, s.SetScalar) and is_known(step.expr)


def is_known(expr: p.Scalar) -> bool:
    """Return whether a scalar is known before a run."""
    if isinstance(expr, p.Operation):
        return all(map(is_known, expr.args))
    return isinstance(expr, p.Number | p.ScalarParameter | p.GraphNumber)


def trace(python: Any, bind: dict[str, Any], arguments: Arguments, loc: Any) -> p.Program:
    """Run a program function on stand-ins and return what it does."""
    refuse_endless(python)
    tracer = Tracer(python, loc, arguments.directed)
    given: dict[str, Any] = {}
    for name, value in arguments.values.items():
        if name in arguments.numbers:
            kind = "f64" if isinstance(arguments.numbers[name], float) else "i64"
            given[name] = TracedScalar(p.ScalarParameter(kind, name))
        elif name in arguments.arrays:
            given[name] = ArrayStandIn(p.ArrayParameter(name))
        else:
            given[name] = value
    results = python(TracedGraph(tracer), **given)
    bindings = {(field.kind, field.name): name for name, field in bind.items()}
    return tracer.finish(results, bindings)


def trace_key(arguments: Arguments) -> tuple[Any, ...]:
    """Return what of the arguments a trace depends on, besides whether the graph is directed."""
    if arguments.traced_by is not None:
        return arguments.traced_by
    parts: list[Any] = []
    for name, value in arguments.values.items():
        if name in arguments.copies:
            kind = type(arguments.numbers[name]) if name in arguments.numbers else "array"
            parts.append((name, "copies", kind, shift_for(arguments.num_copies)))
        elif name in arguments.numbers:
            parts.append((name, "number", type(arguments.numbers[name])))
        elif name in arguments.arrays:
            parts.append((name, "array"))
        elif value is not None and name in arguments.bound:
            parts.append((name, "column"))
        else:
            parts.append((name, "constant", type(value), value))
    arguments.traced_by = tuple(parts)
    return arguments.traced_by


def schedule_key() -> tuple[Any, ...]:
    """Return which knobs a schedule depends on."""
    return (config.deterministic, config.num_threads == 1)


def compile_program(
    python: Any,
    bind: dict[str, Any],
    arguments: Arguments,
    loc: Any,
    wide: bool,
    target: str = "cpu",
) -> Compiled:
    """Trace, schedule and write the kernels of a program; see `compile_traced`."""
    started = time.perf_counter()
    traced = trace(python, bind, arguments, loc)
    compiled = compile_traced(
        traced, wide, target, asked=arguments.schedule, copies=arguments.copies
    )
    combiners = [each.function for each in combiners_in(compiled.schedule)]
    compiled.meant = Meant(python, compiled.functions, combiners)
    compiled.seconds = time.perf_counter() - started
    return compiled


def compile_traced(program: p.Program, wide: bool, target: str, **wishes: Any) -> Compiled:
    """Schedule and write the kernels of a traced program.

    Parameters
    ----------
    wide : bool
        Whether ids take 64 bits.
    target : {"cpu", "cuda", "traced", "parts", "gpus", "grids/N", "peers/N"}
        What the kernels are written for; ``traced`` is a GPU, and they say when each of their
        phases ended (`emv.runtime.profile.recording`); ``parts`` are those of a graph, on cores,
        and ``gpus`` those on GPUs that the host drives step by step; ``grids/2`` are two that
        meet in their kernels if the program can, else ``gpus``; ``peers/2`` refuse if it cannot.
    **wishes
        As a `Setting` takes them: ``written`` of a piece of a run, ``asked``, ``copies``.
    """
    started = time.perf_counter()
    options: dict[str, Any] = {"traced": True} if target == "traced" else {}
    form, _, number = target.partition("/")
    wishes["divided"], wishes["meets"] = form in DIVIDED, bool(number)
    written_for = DIVIDED.get(form, "cuda" if form == "traced" else form)
    setting = Setting("i64" if wide else "i32", written_for, **wishes)
    schedule, slots = make_schedule(program, setting)
    apart = why_apart(schedule, int(number)) if number else None
    if apart is not None:
        if form == "peers":
            why, loc = apart
            raise ArgumentError(
                f"{program.name}() does not run with exchange='peer': {why}",
                loc,
                "Leave exchange= out, or give 'host': then the host hands on what GPUs read of "
                "each other.",
            )
        made = compile_traced(program, wide, "gpus", **wishes)
        made.apart = apart[0]
        return made
    if number:
        options["parts"] = int(number)
    text = text_writer(form)(schedule, slots, "uint64" if wide else "uint32", **options)
    source = text.write()
    functions = [each for e in s.launches_in(schedule.body) for each in s.functions_of(e)]
    made = Compiled(
        program,
        schedule,
        slots,
        source,
        table_of(schedule, source),
        names=text.names,
        relaxing=text.relaxing,
        functions=list(dict.fromkeys(functions)),
        files=list(dict.fromkeys([program.loc.file, *(each.loc.file for each in functions)])),
    )
    made.grids = int(number or 0)
    made.seconds = time.perf_counter() - started
    return made


def text_writer(target: str) -> Callable[..., ModuleText]:
    """Return the class that writes the text of kernels; the other target's is not loaded."""
    if target in ("grids", "peers"):
        from emv.codegen.cuda.grids import CudaGrids

        return CudaGrids
    if target == "gpus":
        from emv.codegen.cuda.steps import CudaSteps

        return CudaSteps
    if target in ("cuda", "traced"):
        from emv.codegen.cuda.kernel import CudaModule

        return CudaModule
    from emv.codegen.cpu.functions import CpuModule

    return CpuModule
