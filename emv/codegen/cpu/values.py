"""The text of walks over vertices that have one value of a column; see `passes.index_values`."""

from __future__ import annotations

from typing import Any

from emv.codegen.place import Place
from emv.codegen.queues import taken_of
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import schedule as s


def index_values(loop: s.LoopStep, unit: Unit, writer: Writer) -> None:
    """Write the sorting of the vertices by the columns that a loop's launches ask for."""
    fields = {each.indexed[0] for each in s.launches_in(loop.body) if each.indexed is not None}
    for field in sorted(fields):
        inside = ", ".join(arrays_of(unit, writer, field))
        with writer.block(f"if {loop.step} == 0:"):
            writer.add(f"index_values({inside})")


def take_value(text: Any) -> None:
    """Write the choice of the vertices that a launch walks."""
    launch, writer = text.launch, text.writer
    field, name = launch.indexed
    value = next(each.source for each in launch.args if each.name == name)
    queue = taken_of(text, launch.number)
    inside = ", ".join([*arrays_of(text.unit, writer, field), writer.read(value), queue.name])
    writer.add(f"{queue.length} = take_value({inside})")


def arrays_of(unit: Unit, writer: Writer, field: str) -> list[str]:
    """Name a column, the number of vertices, and the order of the vertices by the column."""
    dtype = unit.schedule.program.fields["vertex", field].dtype.name
    column = Place({}, {}, "", unit.written).column(writer, "vertex", field, dtype)
    first = writer.scratch(f"first_by_{field}", "int64", "V+1")
    order = writer.scratch(f"order_by_{field}", unit.ids, "V")
    return [column, "state[NUM_VERTICES]", first, order]
