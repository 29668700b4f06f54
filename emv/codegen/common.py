"""Loops over the neighbours that two vertices share, as the merge of two sorted rows."""

from __future__ import annotations

from emv.codegen.place import Pasting, Place
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Pair:
    """The two rows of one loop: what their ends and places are called in the text.

    Attributes
    ----------
    left, right : str
        The place reached in each row; ``_src`` is its vertex, ``_end`` the row's end.
    """

    left: str
    right: str

    @property
    def sides(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the roles of the two arcs, and what their rows are called."""
        return ("left", self.left), ("right", self.right)


def name_rows(text: Pasting, stmt: b.ForCommon) -> Pair:
    """Write which the two vertices are."""
    pair = Pair(text.writer.fresh("left"), text.writer.fresh("right"))
    for (_, side), vertex in zip(pair.sides, (stmt.first, stmt.second), strict=True):
        text.writer.add(f"{side}_src = np.uint64({text.index(vertex)})")
    return pair


def open_rows(writer: Writer, pair: Pair, number: str = "np.int64") -> None:
    """Write where the sorted rows of the two vertices begin and end."""
    first = writer.graph("first_out")
    for _, side in pair.sides:
        writer.add(f"{side} = {number}({first}[{side}_src])")
        writer.add(f"{side}_end = {number}({first}[{side}_src + np.uint64(1)])")


def merge_rows(text: Pasting, stmt: b.ForCommon) -> None:
    """Write the loop for one thread: it steps on without a branch that could be guessed wrong.

    Where the rows are short and have nothing in common, that is mostly seen from their bits.
    """
    writer, pair = text.writer, name_rows(text, stmt)
    bits = writer.graph("row_bits")
    with writer.block(f"if {bits}[{pair.left}_src] & {bits}[{pair.right}_src] != 0:"):
        open_rows(writer, pair)
        merge(text, stmt, pair)


def merge(text: Pasting, stmt: b.ForCommon, pair: Pair) -> None:
    """Write the merge of two rows whose places are known."""
    writer, place, left, right = text.writer, text.place, pair.left, pair.right
    row, before = writer.graph("sorted_dst"), (dict(place.vertex), dict(place.edge))
    writer.add(f"{left}_last = np.int64(-1)")
    with writer.block(f"while {left} < {left}_end and {right} < {right}_end:", stmt.loc):
        for _, side in pair.sides:
            writer.add(f"{side}_dst = {row}[{side}]")
        writer.add(f"{left} += np.int64({left}_dst <= {right}_dst)")
        writer.add(f"{right} += np.int64({right}_dst <= {left}_dst)")
        is_new = f"np.int64({left}_dst) != {left}_last"  # repeated edges count once
        with writer.block(f"if {left}_dst == {right}_dst and {is_new}:"):
            writer.add(f"{left}_last = np.int64({left}_dst)")
            name_ends(place, pair, f"{left}_dst")
            name_arcs(writer, place, stmt, pair, (f"{left} - 1", f"{right} - 1"))
            text.block(stmt.body)
    place.vertex, place.edge = before


def name_ends(place: Place, pair: Pair, neighbour: str) -> None:
    """Say at a place what the ends of the two arcs are called."""
    place.vertex = {**place.vertex, "common": neighbour}
    for role, side in pair.sides:
        place.vertex[f"{role}_src"] = f"{side}_src"


def name_arcs(
    writer: Writer, place: Place, stmt: b.ForCommon, pair: Pair, found: tuple[str, str]
) -> None:
    """Write the two arcs at places of the sorted rows, if the body asks for them."""
    roles = {element.role for element in elements_in(stmt.body)}
    place.edge = dict(place.edge)
    for (role, side), at in zip(pair.sides, found, strict=True):
        if role in roles:
            writer.add(f"{side}_arc = {writer.graph('arc_of_sorted')}[{at}]")
            place.edge[role] = ("arc", f"{side}_arc")


def elements_in(block: tuple[b.Stmt, ...]) -> list[b.Element]:
    """Return the elements that a block reads, writes or activates."""
    nodes: list[b.Expr | b.Stmt] = [*b.statements_in(block), *b.expressions_in(block)]
    return [each for each in map(b.element_of, nodes) if each is not None]
