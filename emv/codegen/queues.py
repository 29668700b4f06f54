"""Which queue of ids a domain is: its array and its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emv.codegen.place import Place
from emv.codegen.state import place_of_launch


@dataclass(frozen=True)
class Queue:
    """A queue of ids: its array and the text of its length."""

    name: str
    length: str


@dataclass(frozen=True)
class Flags:
    """All ids, of which those belong to the domain whose flag is set: the array and their count."""

    name: str
    count: str


def flags_of_active(worker: Any, kind: str) -> Flags:
    """Return the flags of the active vertices or edges, where they are kept so."""
    edges = kind == "edge"
    name, size = ("active_edge_flags", "E") if edges else ("active_flags", "V")
    count = "state[NUM_EDGES]" if edges else "state[NUM_VERTICES]"
    return Flags(worker.writer.scratch(name, "uint8", size, 0), count)


def queue_of(worker: Any, domain: Any, ids: str | None) -> Queue | Flags | None:
    """Return the queue or the flags of a domain, or None for all there are."""
    writer, kind = worker.writer, domain.kind
    id_type = worker.unit.ids
    if kind == "mask":
        place = Place({}, {}, "", worker.unit.written)
        return Flags(place.column(writer, "vertex", domain.mask, "bool"), "state[NUM_VERTICES]")
    if kind in ("active", "active_edges") and worker.unit.schedule.all_active:
        return flags_of_active(worker, "edge" if kind == "active_edges" else "vertex")
    if kind == "active":
        return Queue(writer.scratch("active", id_type, "V"), "state[NUM_ACTIVE]")
    if kind == "active_edges":
        return Queue(writer.scratch("active_edges", id_type, "E"), "state[NUM_ACTIVE_EDGES]")
    if kind == "only":
        name = writer.scratch(str(ids), id_type, "ids")
        return Queue(name, worker.unit.num_ids(name))
    if kind == "receivers":
        return receivers_of(worker, worker.unit.base_of(domain.source))
    return None


def taken_of(worker: Any, number: int) -> Queue:
    """Return the queue of the vertices that have the value which a launch asks for."""
    name = worker.writer.scratch(f"taken{number}", worker.unit.ids, "V")
    return Queue(name, f"state[{place_of_launch(number)}]")


def receivers_of(worker: Any, number: int) -> Queue:
    """Return the queue of a launch's receivers."""
    name = worker.writer.scratch(f"receivers{number}", worker.unit.ids, "V")
    return Queue(name, f"state[{place_of_launch(number)}]")
