"""The steps that run no user function: fills, folds of an edge column, folds of kept values."""

from __future__ import annotations

from emv.codegen.column_text import column_array, folded_text, given_text
from emv.codegen.cuda.launch import run_phase
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.worker import CudaWorker
from emv.codegen.expressions import as_read, as_stored, cast
from emv.codegen.folding import FoldText
from emv.codegen.place import Place
from emv.codegen.sending import kept_values
from emv.codegen.worker import Partial, Unit, aggregate_start, aggregate_step, aggregate_value
from emv.dtypes import short_name
from emv.ir import schedule as s


def write_fill(unit: Unit, program: ProgramText, step: s.FillColumn, number: int) -> None:
    """Write ``column[:] = value``."""
    worker = CudaWorker(unit, f"fill_{step.column.name}_{number}", None)
    writer = worker.writer
    array, kind = column_array(unit, writer, step.column)
    count = "state[NUM_EDGES]" if step.column.kind == "edge" else "state[NUM_VERTICES]"
    with worker.ids(None, "row", count):
        if isinstance(step.value, s.Slot):
            value, given = writer.read(step.value), step.value.type
        elif isinstance(step.value, s.Values):
            texts, kinds = kept_values(worker, step.value, "row")
            value, given = texts[0], kinds[0]
        else:
            value, given = given_text(unit, writer, step.value)
        writer.add(f"{array}[row] = {as_stored(cast(value, given, kind), kind)}")
    run_phase(unit, program, worker)


def write_column_fold(unit: Unit, program: ProgramText, step: s.FoldColumn) -> None:
    """Write the fold of an edge column over the arcs of each vertex."""
    worker = CudaWorker(unit, f"fold_{step.column.name}_{step.values.id}", None)
    writer = worker.writer
    field = unit.schedule.program.fields[step.column.kind, step.column.name]
    kind = short_name(field.dtype)
    fold = FoldText(s.Fold(step.values, (step.op,), kind, step.initial, False))
    unit.stored_kinds[step.values.id] = fold.stored
    out = step.by == "src"
    first = writer.graph("first_out" if out else "first_in")
    order = "arc" if out else "slot"
    place = Place({}, {"own": (order, "at")}, "", unit.written)
    key = (step.column.kind, step.column.name)
    if key in unit.written:
        array = place.column(writer, *key, field.dtype.name)
        text = f"{array}[{writer.graph(f'edge_of_{order}')}[at]]"
    else:
        text = f"{place.column(writer, *key, field.dtype.name, order)}[at]"
    row = writer.copies.vertex("v")
    with worker.ids(None, "v", "state[NUM_VERTICES]"):
        writer.add(f"fold = {fold.starts(writer)[0]}")
        span = f"np.uint64({first}[{row}]), np.uint64({first}[{row} + ONE])"
        with writer.block(f"for at in range({span}):"):
            fold.step(writer, ["fold"], [as_read(text, kind)])
        fold.keep(writer, ["fold"], "v")
    run_phase(unit, program, worker)


def write_aggregate(unit: Unit, program: ProgramText, step: s.AggregateValues) -> None:
    """Write the fold of kept values into one scalar."""
    slot = step.slot
    worker = CudaWorker(unit, f"aggregate_{slot.array}_{slot.index}", None)
    writer = worker.writer
    text, kind, count = folded_text(unit, worker, step.values)
    wide = "float64" if slot.is_float else "int64"
    array = writer.scratch(f"partial_{step.op}_{slot.array}_{slot.index}", wide, "B")
    start = aggregate_start(step.op, slot, kind)
    folded = f"folded_{slot.array}_{slot.index}"  # two folds may share a walk
    worker.partials.append(Partial(step.op, slot, folded, array, start))
    with worker.ids(None, "row", count):
        aggregate_step(writer, step.op, folded, aggregate_value(step.op, slot, text), text)
    run_phase(unit, program, worker)
