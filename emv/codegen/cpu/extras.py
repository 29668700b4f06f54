"""The steps that run no user function: fills, folds of an edge column, folds of kept values."""

from __future__ import annotations

from emv.codegen.column_text import column_array, folded_text, given_text
from emv.codegen.expressions import as_read, as_stored, cast
from emv.codegen.folding import FoldText
from emv.codegen.place import Place
from emv.codegen.sending import kept_values
from emv.codegen.worker import (
    Partial,
    Unit,
    Worker,
    aggregate_start,
    aggregate_step,
    aggregate_value,
)
from emv.codegen.writer import Writer
from emv.dtypes import short_name
from emv.ir import schedule as s


def write_fill(unit: Unit, step: s.FillColumn, number: int) -> str:
    """Write ``column[:] = value``."""
    writer = Writer(unit.buffers)
    array, kind = column_array(unit, writer, step.column)
    name = f"fill_{step.column.name}_{number}"
    if isinstance(step.value, s.Slot):
        value, given = writer.read(step.value), step.value.type
    elif isinstance(step.value, s.Values):
        worker = Worker(unit, name, None)
        worker.writer = writer
        texts, kinds = kept_values(worker, step.value, "row")
        value, given = texts[0], kinds[0]
    else:
        value, given = given_text(unit, writer, step.value)
    text = cast(value, given, kind)
    with writer.block(f"for row in range(len({array})):"):
        writer.add(f"{array}[row] = {as_stored(text, kind)}")
    unit.finish(name, "@work", (), writer)
    return name


def write_column_fold(unit: Unit, step: s.FoldColumn) -> str:
    """Write the fold of an edge column over the arcs of each vertex."""
    writer = Writer(unit.buffers)
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
    text = as_read(text, kind)
    row, copies = "v", writer.copies
    if copies.shift:
        row = f"np.int64({copies.vertex('v')})"
    writer.state()
    with writer.block("for v in range(state[NUM_VERTICES]):"):
        writer.add(f"fold = {fold.starts(writer)[0]}")
        span = f"np.uint64({first}[{row}]), np.uint64({first}[{row} + 1])"
        with writer.block(f"for at in range({span}):"):
            fold.step(writer, ["fold"], [text])
        fold.keep(writer, ["fold"], "v")
    name = f"fold_{step.column.name}_{step.values.id}"
    unit.finish(name, "@work", (), writer)
    return name


def write_aggregate(unit: Unit, step: s.AggregateValues) -> str:
    """Write the fold of kept values into one scalar."""
    writer = Writer(unit.buffers)
    worker = Worker(unit, "", None)
    worker.writer = writer
    slot = step.slot
    writer.scratch("state", "int64", "")
    text, kind, count = folded_text(unit, worker, step.values)
    writer.add(f"folded = {aggregate_start(step.op, slot, kind)}")
    with writer.block(f"for row in range({count}):"):
        aggregate_step(writer, step.op, "folded", aggregate_value(step.op, slot, text), text)
    writer.add(f"{writer.slot(slot)} = {Partial(step.op, slot, 'folded', '', '').result}")
    name = f"aggregate_{slot.array}_{slot.index}"
    unit.finish(name, "@work", (), writer)
    return name
