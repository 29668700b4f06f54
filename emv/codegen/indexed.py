"""Walks over the vertices that have one value of a column; see `passes.index_values`."""

from __future__ import annotations

from emv.codegen.launch import LaunchText
from emv.codegen.queues import taken_of
from emv.codegen.unit import Part
from emv.ir import schedule as s


def index_values(loop: s.LoopStep, part: Part) -> None:
    """Write the sorting of the vertices by the columns that a loop's launches ask for."""
    fields = {each.indexed[0] for each in s.launches_in(loop.body) if each.indexed is not None}
    for field in sorted(fields):
        part.writer.add(f"if {loop.step} == 0: index_values({arrays_of(part, field)})")


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
    first = writer.scratch(f"first_by_{field}", "int64", "V+1")
    order = writer.scratch(f"order_by_{field}", unit.ids, "V")
    return f"{writer.column('vertex', field, dtype)}, state[NUM_VERTICES], {first}, {order}"
