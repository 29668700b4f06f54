"""Which queue of ids a domain is: its array and its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emv.codegen.state import place_of_launch


@dataclass(frozen=True)
class Queue:
    """A queue of ids: its array and the text of its length."""

    name: str
    length: str


def queue_of(worker: Any, domain: object, ids: str | None) -> Queue | None:
    """Return the queue of a domain, or None for a dense one."""
    writer, kind = worker.writer, getattr(domain, "kind", "")
    id_type = worker.unit.ids
    if kind == "active":
        return Queue(writer.scratch("active", id_type, "V"), "state[NUM_ACTIVE]")
    if kind == "active_edges":
        return Queue(writer.scratch("active_edges", id_type, "E"), "state[NUM_ACTIVE_EDGES]")
    if kind == "only":
        name = writer.scratch(str(ids), id_type, "ids")
        return Queue(name, worker.unit.num_ids(name))
    if kind == "receivers":
        return receivers_of(worker, worker.unit.base_of(domain.source))  # type: ignore[attr-defined]
    return None


def receivers_of(worker: Any, number: int) -> Queue:
    """Return the queue of a launch's receivers."""
    name = worker.writer.scratch(f"receivers{number}", worker.unit.ids, "V")
    return Queue(name, f"state[{place_of_launch(number)}]")
