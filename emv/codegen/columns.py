"""What is done with columns as wholes: fills, folds of edge columns and of kept values, orders.

Vertices are sorted by a column where launches walk those of one value (`passes.choose_walk`).
"""

from __future__ import annotations

from emv.codegen.expressions import as_read, as_stored, cast
from emv.codegen.folding import FoldText
from emv.codegen.launch import LaunchText
from emv.codegen.queues import count_of, taken_of
from emv.codegen.sending import kept_values
from emv.codegen.unit import Part
from emv.codegen.worker import Worker, aggregate_step
from emv.dtypes import short_name
from emv.ir import program as p
from emv.ir import schedule as s


def fill_column(worker: Worker, step: s.FillColumn) -> None:
    """Write ``column[:] = value``."""
    array, kind = column_of(worker, step.column)
    with worker.entries(array, step.column.kind, "row"):
        if isinstance(step.value, s.Slot):
            value, given = worker.writer.read(step.value), step.value.type
        else:
            value, given = row_of(worker, step.value)
        worker.writer.add(f"{array}[row] = {as_stored(cast(value, given, kind), kind)}")


def fold_column(worker: Worker, step: s.FoldColumn) -> None:
    """Write the fold of an edge column over the arcs of each vertex."""
    writer, unit, key = worker.writer, worker.unit, (step.column.kind, step.column.name)
    dtype = unit.schedule.program.fields[key].dtype
    fold = FoldText(s.Fold(step.values, (step.op,), short_name(dtype), step.initial, False))
    unit.stored_kinds[step.values.id] = fold.stored
    side, order = ("out", "arc") if step.by == "src" else ("in", "slot")
    first = writer.graph(f"first_{side}")
    if key in unit.written:
        array, at = writer.column(*key, dtype.name), f"{writer.graph(f'edge_of_{order}')}[at]"
    else:
        array, at = writer.column(*key, dtype.name, order), "at"
    row, behind = worker.row("v")
    span = f"np.uint64({first}[{row}]), np.uint64({first}[{behind}])"
    with worker.ids(None, "v", count_of("vertex")):
        writer.add(f"fold = {fold.starts(writer)[0]}")
        with writer.block(f"for at in range({span}):"):
            fold.step(writer, ["fold"], [as_read(f"{array}[{at}]", short_name(dtype))])
        fold.kept.put(writer, "v", ["fold"])


def aggregate_values(worker: Worker, step: s.AggregateValues) -> None:
    """Write the fold of kept values, or of a column, into one scalar."""
    slot, values = step.slot, step.values
    text, kind = row_of(worker, values)
    # Two folds may share a walk.
    partial = worker.partial(step.op, slot, kind, f"folded_{slot.array}_{slot.index}")
    with worker.ids(None, "row", count_of(values.kind if isinstance(values, p.Column) else "")):
        aggregate_step(worker.writer, partial, text)


def row_of(worker: Worker, given: p.Column | s.Values) -> tuple[str, str]:
    """Return the text of row ``row`` of a column, an attribute or kept values, and its type."""
    if isinstance(given, s.Values):
        texts, kinds = kept_values(worker, given, "row")
        return texts[0], kinds[0]
    writer, copies, index = worker.writer, worker.writer.copies, "row"
    if given.kind == "vertex" and copies.shift:
        index = f"np.int64({copies.vertex('row')})"
    if given.name == "id":
        return index, "i64"
    if given.name in ("out_degree", "in_degree") and given.kind == "vertex":
        first = writer.offsets(given.name.removesuffix("_degree"))
        return f"(np.int64({first}[{index} + 1]) - np.int64({first}[{index}]))", "i64"
    array, kind = column_of(worker, given)
    return as_read(f"{array}[{copies.index((given.kind, given.name), 'row')}]", kind), kind


def column_of(part: Part, column: p.Column) -> tuple[str, str]:
    """Return the array of a column as the program names it, and its type."""
    dtype = part.unit.schedule.program.fields[column.kind, column.name].dtype
    return part.writer.column(column.kind, column.name, dtype.name), short_name(dtype)


def index_values(loop: s.LoopStep, part: Part) -> None:
    """Write the sorting of the vertices by the columns that a loop's launches ask for."""
    fields = {each.indexed[0] for each in s.launches_in(loop.body) if each.indexed is not None}
    for field in sorted(fields):
        given = f"{arrays_of(part, field)}, state[NUM_THREADS]"
        part.writer.add(f"if {loop.step} == 0: index_values({given})")


def take_value(text: LaunchText) -> None:
    """Write the choice of the vertices that a launch walks, if it is applied to some by value."""
    launch = text.launch
    if launch.indexed is None:
        return
    field, name = launch.indexed
    value = next(each.source for each in launch.args if each.name == name)
    queue = taken_of(text, launch.number)
    inside = f"{arrays_of(text, field)}, {text.writer.read(value)}, {queue.name}"
    text.serial(f"{queue.length} = take_value({inside})")


def arrays_of(part: Part, field: str) -> str:
    """Name a column, the number of vertices, and the order of the vertices by the column."""
    writer, unit = part.writer, part.unit
    dtype = unit.schedule.program.fields["vertex", field].dtype.name
    first = writer.scratch(f"first_by_{field}", "int64", "V+2")
    order = writer.scratch(f"order_by_{field}", unit.ids, "V")
    return f"{writer.column('vertex', field, dtype)}, state[NUM_VERTICES], {first}, {order}"
