"""Decide where the messages that must be kept wait: in slots of arcs, or grouped by receiver.

Where every vertex sends one message along all its arcs, and the message depends on nothing else,
none is kept per arc: the message of each source is, and the receivers gather it. Where messages are
only heard in order, and nobody changes in between what they are made of, each receiver makes them
itself, next to the keys by which it sorts them. A GPU makes all keys before it sorts any; there the
largest key says that nothing was sent, so that messages which may have it are kept in slots.

What is sent along arcs is bounded by the graph: at most m messages per arc, so that every message
has a slot of its own among those of its receiver (Zhong and He, TPDS 25, 2014). What goes to any
vertex, or is sent in a loop, has no such slot: it is appended to an array and grouped.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.config import config
from emv.ir.schedule import Launch, SetScalar, functions_of, launches_in
from emv.lang.promote import has_spare_key
from emv.passes.around import Around, by_launch
from emv.passes.choose_direction import has_atomic, stage, sums_floats
from emv.passes.sends import sends_of, sorts_all, why_no_slots

LISTS = ("lists", "trees", "copied lists", "copied trees")
APPENDED = ("grouped", "unread", *LISTS)
KEPT = ("slots", "sender", "grouped", *LISTS)
COPIED = ", and are copied before they are read"
WHERE = {
    "slots": "in slots, receiver by receiver: at most {} per arc, nothing is grouped",
    "sender": "in slots of the senders, {} per arc; a pass brings them to those of the receivers",
    "grouped": "at the end of one array, then grouped by receiver",
    "unread": "at the end of one array",
    "lists": "in one list per receiver, put at its head",
    "trees": "in one list per receiver, a tree while it grows",
    "copied lists": f"in one list per receiver, put at its head{COPIED}",
    "copied trees": f"in one list per receiver, a tree while it grows{COPIED}",
    "sources": "at their sources, where the receivers gather them",
    "arcs": "nowhere, the receivers work them out arc by arc",
}


@by_launch
def choose_buffer(launch: Launch, around: Around) -> Launch:
    """Return the launch with the buffer of its kept messages and why; others have none."""
    is_kept = launch.direction == "store" or (
        launch.direction == "either" and not all(map(has_atomic, launch.folds))
    )
    if not is_kept or launch.send.kind == "message":
        is_forced = launch.buffer == "accumulators" and launch.direction == "push"
        return dataclasses.replace(launch, buffer="accumulators" if is_forced else "")
    unfit = why_no_slots(launch)
    name, why = launch.buffer, "the caller asks for it"
    if name not in KEPT or (unfit and name in ("slots", "sender")):
        name, why = ("grouped", unfit) if unfit else ("slots", "the graph says how many there are")
        if unfit and is_unread(launch, around.steps):
            name, why = "unread", "the host takes them, and no function does"
        if not unfit and stays_at_source(launch, around.steps):
            name, why = "sources", "each depends on its source alone, and all of them send"
        elif not unfit and is_made_where_heard(launch, around):
            name, why = (
                "arcs",
                "they are sorted, and what they are made of stays as it is until then",
            )
    where = WHERE[name].format(len(sends_of(launch)))
    return launch.because(f"messages wait {where}: {why}", buffer=name)


def stays_at_source(launch: Launch, whole: tuple[Any, ...]) -> bool:
    """Return whether receivers can gather what a launch sends, slot by slot, when they hear it."""
    return is_gathered(launch, hearers_of(launch, whole)) and stage(launch).staged


def hearers_of(launch: Launch, steps: tuple[Any, ...]) -> list[Launch]:
    """Return the launches that hear what one sends."""
    return [each for each in launches_in(steps) if each.heard == launch.number]


def is_gathered(launch: Launch, hearers: list[Launch]) -> bool:
    """Return whether lists are all that is made of what every vertex sends, and nothing else."""
    everyone = launch.domain.kind == "all" and launch.arc_form and launch.layout == "csr"
    only_heard = not (launch.folds or launch.receivers or launch.receive) and all(
        each.send.kind == "mlist" for each in hearers
    )
    return everyone and only_heard and launch.send.effects.pure and launch.body.result is None


def is_made_where_heard(launch: Launch, around: Around) -> bool:
    """Return whether the receivers can work out what a launch sends when they sort it."""
    setting, hearers = around.setting, hearers_of(launch, around.steps)
    if setting.is_piece or setting.divided or setting.copies:
        return False
    if setting.target == "cuda" and not has_spare_key(launch.body.message):
        return False  # there keys alone tell what was sent
    is_plain = not launch.args and launch.send.effects.acts == {"send"}
    if not (is_gathered(launch, hearers) and is_plain and len(sends_of(launch)) == 1):
        return False
    return all(map(sorts_all, hearers)) and stays_until_heard(launch, hearers, around)


def stays_until_heard(launch: Launch, hearers: list[Launch], around: Around) -> bool:
    """Return whether nobody writes what messages are made of before they are heard, or there."""
    steps = around.loop.body if around.loop is not None else around.steps
    numbers = [step.number if isinstance(step, Launch) else -1 for step in steps]
    if not all(each.number in numbers for each in hearers):
        return False  # in a loop further inside
    first, last = numbers.index(launch.number), max(numbers.index(e.number) for e in hearers)
    between = steps[first + 1 : last + 1]
    if not all(isinstance(step, Launch | SetScalar) for step in between):
        return False
    read = {(each.kind, each.field) for each in launch.send.effects.reads}
    functions = [f for step in between if isinstance(step, Launch) for f in functions_of(step)]
    return not any(read & function.effects.written for function in functions)


def is_unread(launch: Launch, whole: tuple[Any, ...]) -> bool:
    """Return whether those who hear a launch do nothing: the host takes what it adds to a graph."""
    number = launch.number
    hearers = [each for each in launches_in(whole) if number in (each.heard, each.domain.source)]
    is_kept = launch.store and not (launch.folds or launch.receive)
    return bool(is_kept and hearers) and all(map(does_nothing, hearers))


def does_nothing(launch: Launch) -> bool:
    """Return whether it is all the same if a launch runs.

    A @message function without a statement hands on what it hears.
    """
    told = launch.folds, launch.receive, launch.aggregates, launch.returned
    is_heard = launch.store or launch.receivers or any(told)
    return not (is_heard or launch.body.statements)


def why_not(launch: Launch, name: str) -> str:
    """Return why a sending launch cannot have a buffer; empty if it can."""
    if name in ("slots", "sender"):
        return why_no_slots(launch)
    if name in APPENDED:
        return ""
    if launch.store:
        return "its messages are wanted one by one, by an @mlist or @message function"
    if name == "fused":
        return "its fold has no atomic form and cannot be pulled" * (launch.direction == "store")
    if not all(map(has_atomic, launch.folds)):
        return "its fold has no atomic form"
    if config.deterministic and any(map(sums_floats, launch.folds)):
        return "its sums of floats have one order in deterministic runs, and atomics have none"
    return ""
