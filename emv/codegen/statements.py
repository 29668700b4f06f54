"""Statements of a body as Python text at the place where it is pasted."""

from __future__ import annotations

from typing import Any

from emv.codegen.expressions import ExpressionText, as_stored, cast
from emv.codegen.place import Place
from emv.codegen.rows import Rows, drawn_id
from emv.codegen.writer import Writer
from emv.dtypes import dtype_named, short_name
from emv.ir import body as b
from emv.lang.effects import MASK_WORDS
from emv.lang.promote import natural


class StatementText(ExpressionText):
    """Writes the statements of one body at one place."""

    def __init__(self, writer: Writer, place: Place, function: str, body: b.Body) -> None:
        super().__init__(writer, place, function)
        self.body = body

    def paste(self) -> None:
        """Write the whole body."""
        if self.body.result is not None:
            name = f"{self.place.prefix}{b.RESULT}"
            self.writer.add(f"{name} = {zero(self.body.result)}")
        self.block(self.body.statements)

    def block(self, statements: tuple[b.Stmt, ...]) -> None:
        """Write a block; a loop that is shared takes what stands behind it with it."""
        for place, stmt in enumerate(statements):
            is_list = isinstance(stmt, b.ForLinks | b.ForMessages)
            if is_list and self.shares(stmt, statements[place + 1 :]):
                return
            getattr(self, f"write_{type(stmt).__name__}")(stmt)

    def shares(self, stmt: Any, behind: tuple[b.Stmt, ...]) -> bool:
        """Write a loop over a list that lanes share, and what stands behind it, where they do."""
        worker = self.place.worker
        return worker is not None and bool(worker.share_list(self, stmt, behind))

    def write_Assign(self, stmt: b.Assign) -> None:
        """Write ``name = value`` in the local's type."""
        kind = self.body.result if stmt.name == b.RESULT else self.body.locals.get(stmt.name)
        kind = stmt.value.type if kind is None else kind
        wanted = kind if isinstance(kind, tuple) else natural(kind)
        text = self.text(stmt.value, wanted)
        self.writer.add(f"{self.place.prefix}{stmt.name} = {text}", stmt.loc)

    def write_AssignItem(self, stmt: b.AssignItem) -> None:
        """Write a change of one component of a message."""
        parts = self.place.message
        position = max(stmt.position, 0)
        target, kind = parts[position]
        self.writer.add(f"{target} = {self.text(stmt.value, kind)}", stmt.loc)
        whole = f"{self.place.prefix}{stmt.name}"
        if stmt.position >= 0:
            self.writer.add(f"{whole} = ({', '.join(name for name, _ in parts)},)")
        else:
            self.writer.add(f"{whole} = {target}")

    def write_Store(self, stmt: b.Store) -> None:
        """Write an assignment to a field, atomic when it is an operator."""
        element, writer = stmt.element, self.writer
        field = element.record.fields[stmt.field]
        kind, key = short_name(field.dtype), (element.kind, stmt.field)
        value = as_stored(self.text(stmt.value, kind), kind)
        if key in self.place.gathered:
            self.gather(stmt, value)
            return
        make = writer.next_column if key in self.place.double_buffered else writer.column
        array = make(*key, field.dtype.name)
        index = self.index(element)
        if stmt.op in MASK_WORDS:
            self.mark(stmt, array, index)
        elif stmt.op is None:
            writer.add(f"{array}[{index}] = {value}", stmt.loc)
        elif element.role == "common" and stmt.field in self.place.row_sums:
            told = f"{array}, {index}, {self.place.row_sums[stmt.field]}, {value}"
            writer.add(f"add_in_row(shared, {told})", stmt.loc)
        else:
            writer.add(f"{stmt.op}_if(shared, {array}, {index}, {value})", stmt.loc)

    def gather(self, stmt: b.Store, value: str) -> None:
        """Write an assignment to another element's field that is read as it was meanwhile."""
        writer, gathering = self.writer, self.place.gathered[stmt.element.kind, stmt.field]
        array, index = gathering.array(self.place.worker), writer.fresh("written")
        writer.add(f"{index} = {self.index(stmt.element)}", stmt.loc)
        if gathering.op == "constant":
            writer.add(f"{array}[{index}] = {value}", stmt.loc)
        else:
            writer.add(f"{gathering.op}_if(shared, {array}, {index}, {value})", stmt.loc)
        gathering.note(self.place.worker, index)

    def mark(self, stmt: b.Store, array: str, index: str) -> None:
        """Write the entry of a vertex into a mask or its exit, the larger of two wishes winning."""
        is_in = stmt.op == "set"
        if (stmt.element.kind, stmt.field) in self.place.asked:
            wish = f"np.uint8({3 if is_in else 2})"
            self.writer.add(f"max_if(shared, {array}, {index}, {wish})", stmt.loc)
        else:
            self.writer.add(f"{array}[{index}] = {int(is_in)}", stmt.loc)

    def write_If(self, stmt: b.If) -> None:
        """Write a branch."""
        with self.writer.block(f"if {self.text(stmt.condition)}:", stmt.loc):
            self.block(stmt.then)
        if stmt.otherwise:
            with self.writer.block("else:"):
                self.block(stmt.otherwise)

    def write_ForRange(self, stmt: b.ForRange) -> None:
        """Write a counted loop."""
        bounds = ", ".join(self.text(each, "int") for each in (stmt.start, stmt.stop, stmt.step))
        with self.writer.block(f"for {self.place.prefix}{stmt.name} in range({bounds}):", stmt.loc):
            self.block(stmt.body)

    def write_While(self, stmt: b.While) -> None:
        """Write a loop."""
        with self.writer.block(f"while {self.text(stmt.condition)}:", stmt.loc):
            self.block(stmt.body)

    def write_Break(self, stmt: b.Break) -> None:
        """Write ``break``."""
        self.writer.add("break", stmt.loc)

    def write_Continue(self, stmt: b.Continue) -> None:
        """Write ``continue``."""
        self.writer.add("continue", stmt.loc)

    def write_Return(self, stmt: b.Return) -> None:
        """Write ``return`` in a plain function, in the type in which its result is computed."""
        kind: Any = self.body.result
        wanted = kind if isinstance(kind, tuple) else natural(kind)
        self.writer.add(f"return {self.text(stmt.value, wanted)}", stmt.loc)

    def write_ForLinks(self, stmt: b.ForLinks) -> None:
        """Write the loop over the own vertex's out-edges."""
        worker = self.place.worker
        if worker is None or not worker.several_links(self, stmt):
            self.links(stmt)

    def links(self, stmt: b.ForLinks) -> None:
        """Write the loop over the own vertex's out-edges, one after the other."""
        place, writer = self.place, self.writer
        before, element = dict(place.vertex), place.element
        rows = Rows(writer, place.layout, "out")
        with rows.walk(place.vertex["own"], "arc", "link_dst", stmt.loc):
            place.edge["link"] = (rows.order, "arc")
            place.vertex["link_dst"] = "link_dst"
            place.element = drawn_id(rows, self.body, "arc")
            self.block(stmt.body)
        place.vertex, place.element = before, element

    def write_ForCommon(self, stmt: b.ForCommon) -> None:
        """Write the loop over the neighbours that two vertices share."""
        self.place.worker.share(self, stmt)

    def write_ForMessages(self, stmt: b.ForMessages) -> None:
        """Write the loop over the own vertex's messages."""
        self.place.hearing.walk(self, stmt)

    def write_Send(self, stmt: b.Send) -> None:
        """Write a message: its components in the message type, then what becomes of it."""
        place, writer = self.place, self.writer
        values = self.message(stmt)
        if stmt.along == "to":
            target = self.text(stmt.target, "int")  # type: ignore[arg-type]
            name = writer.fresh("to")
            writer.add(f"{name} = {self.named(target)}", stmt.loc)
            with writer.block("if state[BAD_INDEX] == 0:"):
                place.on_send(stmt, values, name, "own")
        elif stmt.along == "all":
            receiver = writer.fresh("to")
            rows = Rows(writer, place.layout, "out")
            with rows.walk(place.vertex["own"], "arc", receiver, stmt.loc):
                place.on_send(stmt, values, receiver, "arc")
        else:
            receiver = place.vertex.get("link_dst", place.vertex.get("dst", ""))
            place.on_send(stmt, values, receiver, "arc")

    def message(self, stmt: b.Send) -> list[str]:
        """Write the components of a message to locals and return their names."""
        kind = self.body.message
        if not isinstance(kind, tuple):
            name = self.writer.fresh("message")
            self.writer.add(f"{name} = {self.text(stmt.value, kind)}", stmt.loc)
            return [name]
        names = []
        whole = stmt.value
        for position, inner in enumerate(kind):
            name = self.writer.fresh("message")
            if isinstance(whole, b.Tuple):
                text = self.text(whole.items[position], inner)
            else:
                text = cast(f"{self.text(whole)}[{position}]", whole.type[position], inner)
            self.writer.add(f"{name} = {text}", stmt.loc)
            names.append(name)
        return names

    def write_Activate(self, stmt: b.Activate) -> None:
        """Write an activation."""
        self.place.on_activate(stmt.element.kind, self.index(stmt.element), stmt.loc)

    def write_Vote(self, stmt: b.Vote) -> None:
        """Write a vote; it reaches the shared state once per thread."""
        self.writer.add(f"{stmt.word} = 1", stmt.loc)

    def write_Union(self, stmt: b.Union) -> None:
        """Write the join of two sets."""
        writer, key = self.writer, ("vertex", stmt.field)
        make = writer.next_column if key in self.place.double_buffered else writer.column
        array = make(*key, "int64")
        first, second = self.index(stmt.first), self.index(stmt.second)
        writer.add(f"join(shared, {array}, {first}, {second})", stmt.loc)


def zero(kind: Any) -> str:
    """Return the text of a type's zero."""
    if isinstance(kind, tuple):
        return f"({', '.join(zero(each) for each in kind)},)"
    if kind == "bool":
        return "False"
    return f"np.{dtype_named(natural(kind)).name}(0)"
