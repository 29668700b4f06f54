"""Columns and attributes of the graph as a program names them, in kernels that run no function."""

from __future__ import annotations

from typing import Any

from emv.codegen.expressions import as_read
from emv.codegen.place import Place
from emv.codegen.sending import kept_values
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.dtypes import short_name
from emv.ir import program as p


def column_array(unit: Unit, writer: Writer, column: p.Column) -> tuple[str, str]:
    """Return the array of a column as the program names it, and its type."""
    place = Place({}, {}, "", unit.written)
    field = unit.schedule.program.fields[column.kind, column.name]
    array = place.column(writer, column.kind, column.name, field.dtype.name)
    return array, short_name(field.dtype)


def folded_text(unit: Unit, worker: Any, values: Any) -> tuple[str, str, str]:
    """Return the text of row ``row`` of what an aggregator folds, its type, and the row count."""
    if isinstance(values, p.Column):
        count = "state[NUM_EDGES]" if values.kind == "edge" else "state[NUM_VERTICES]"
        return (*given_text(unit, worker.writer, values), count)
    texts, kinds = kept_values(worker, values, "row")
    return texts[0], kinds[0], "state[NUM_VERTICES]"


def given_text(unit: Unit, writer: Writer, column: p.Column) -> tuple[str, str]:
    """Return the text of row ``row`` of another column, or of an attribute of the graph."""
    copies, index = writer.copies, "row"
    if column.kind == "vertex" and copies.shift:
        index = f"np.int64({copies.vertex('row')})"
    if column.name == "id":
        return index, "i64"
    if column.name in ("out_degree", "in_degree") and column.kind == "vertex":
        first = writer.graph("first_out" if column.name == "out_degree" else "first_in")
        return f"(np.int64({first}[{index} + 1]) - np.int64({first}[{index}]))", "i64"
    array, kind = column_array(unit, writer, column)
    index = copies.index((column.kind, column.name), "row")
    return as_read(f"{array}[{index}]", kind), kind
