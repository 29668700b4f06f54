"""A sweep on a GPU: every thread goes over its own elements until none of them waits any more.

No barrier comes between an element that waits and the one that it waits for: as soon as that one
has written, the next look sees it. All threads are on the GPU at once, so whoever is waited for
gets its turn. After some tries the loop goes on behind a barrier, where it can be called off.

Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.queues import Queue
from emv.ir import schedule as s
from emv.passes.flag_activations import activations

LOOKING = ("vertex", "elist")  # kinds of functions whose elements may look again
WAITING = {"activate", "keep_going", "find"}  # all that these may do besides reading and writing


def repeats(launch: s.Launch | None) -> bool:
    """Return whether the elements of a launch may look again without a barrier in between.

    They do in a sweep whose function sends nothing and votes for its own element alone.
    """
    if launch is None or not launch.in_place or launch.direction != "none":
        return False
    if launch.returned is not None or launch.aggregates or launch.send.kind not in LOOKING:
        return False
    acts = launch.send.effects.acts
    own = all(each.element.role == "own" for each in activations(launch.send, "vertex"))
    return own and bool(acts & {"activate", "keep_going"}) and acts <= WAITING


def seen_fresh(launch: s.Launch | None) -> dict[tuple[str, str], bool]:
    """Return the columns that change while elements look again, and whether others change them."""
    if launch is None or not repeats(launch):
        return {}
    foreign: dict[tuple[str, str], bool] = {}
    for each in launch.send.effects.writes:
        key = (each.kind, each.field)
        foreign[key] = foreign.get(key, False) or each.where not in ("own", "link")
    return foreign


@contextlib.contextmanager
def repeated(worker: Any, queue: Queue | None, name: str, count: str) -> Iterator[None]:
    """Write the walk over ``count`` ids or a queue, again and again over those that wait."""
    writer, votes = worker.writer, "keep_going" in worker.votes
    place = "base + first * stride" if queue is None else f"{queue.name}[base + first * stride]"
    take = ["first = lowest_of({0})", "{0} &= {0} - ONE", f"{name} = {worker.number}({place})"]
    writer.add(f"size = np.uint64({queue.length if queue is not None else count})")
    writer.add("stride = np.uint64(threads)")
    writer.add("base = np.uint64(me)")
    writer.add("unsettled = 0")
    with writer.block("while base < size:"):
        writer.add("waiting = share_of(base, stride, size)")
        writer.add("tries = tries_of(stride, size)")
        with writer.block("while waiting != 0 and tries > 0:"):
            writer.add("tries -= 1")
            writer.add("rest = waiting")
            with writer.block("while rest != 0:"):
                for line in take:
                    writer.add(line.format("rest"))
                writer.add("again = 0")
                if votes:
                    writer.add("keep_going = 0")
                yield
                with writer.block(f"if again == 0{' and keep_going == 0' * votes}:"):
                    writer.add("waiting ^= ONE << first")
        with writer.block("while waiting != 0:"):
            for line in take:
                writer.add(line.format("waiting"))
            writer.add("unsettled = 1")
            if "activate" in worker.launch.send.effects.acts:
                worker.activate("vertex", name)
        writer.add("base += np.uint64(SHARE) * stride")
    if votes:
        writer.add("keep_going = unsettled")
