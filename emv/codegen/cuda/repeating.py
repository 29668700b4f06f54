"""A sweep on a GPU: every thread goes over its own elements until none of them waits any more.

No barrier comes between an element that waits and the one that it waits for: as soon as that one
has written, the next look sees it. All threads are on the GPU at once, so whoever is waited for
gets its turn. After some tries the loop goes on behind a barrier, where it can be called off.
Which launches may look again, `passes.look_again` says; those of pulls are in `pull_rounds`.

Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from emv.codegen.cuda.early import early_loads, held_first
from emv.codegen.queues import Queue
from emv.ir import schedule as s


def looks_again(launch: s.Launch) -> bool:
    """Return whether anything of a launch looks again without a barrier in between."""
    return bool(launch.again)


def seen_fresh(launch: s.Launch | None) -> dict[tuple[str, str], bool]:
    """Return the columns that change while elements look again, and whether others change them."""
    if launch is None or not looks_again(launch):
        return {}
    foreign: dict[tuple[str, str], bool] = {}
    pulls = launch.receive is not None and launch.again == "receivers"
    looking = launch.receive.function if pulls and launch.receive else launch.send
    for each in looking.effects.writes:
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
                begin = writer.mark()
                yield
                read_own_early(writer, name, begin)
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


def read_own_early(writer: Any, name: str, begin: int) -> None:
    """Let the loads of what nobody else changes of an element go before all that it waits for."""
    loads, block = early_loads(writer.cut(begin), name)
    writer.put((*held_first(loads), *block))
