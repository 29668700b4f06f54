"""The phase in which the user's function runs over its domain: a map, or a push of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from emv.codegen.expressions import ExpressionText
from emv.codegen.folding import ComponentArrays
from emv.codegen.gathering import gatherings, settle_phases
from emv.codegen.launch import LaunchText
from emv.codegen.place import Edges, Ends, Hearing, Place
from emv.codegen.queues import Domain, Queue, queue_of, taken_of
from emv.codegen.rows import Rows, Senders, drawn_id, draws, walk_arcs
from emv.codegen.statements import StatementText
from emv.codegen.unit import Part
from emv.codegen.worker import Worker
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.effects import MASK_WORDS
from emv.passes.double_buffer import words_of
from emv.passes.sends import is_repeated

SEND, RECEIVE = "s_", "r_"

OnSend: TypeAlias = Callable[[Worker, b.Send, list[str], str, str], None]
Heard: TypeAlias = Callable[[Worker, str], Hearing]


class Sending(Protocol):
    """Where messages are kept, as the walk of their senders knows it."""

    def begin_sending(self, worker: Worker) -> None:
        """Write what a sending thread needs before its walk."""

    def end_sending(self, worker: Worker) -> None:
        """Write what a sending thread hands over behind its walk."""


def map_phase(
    text: LaunchText,
    on_send: OnSend | None = None,
    phase: str = "map",
    heard: Heard | None = None,
    store: Sending | None = None,
) -> None:
    """Write the phase that runs the function over its domain.

    Parameters
    ----------
    text : LaunchText
        The launch that is being written.
    on_send : callable, optional
        Writes what becomes of a message.
    heard : callable, optional
        Makes the walk of a message list for a place.
    store : Store, optional
        Where the messages are kept: it writes what a thread needs before its walk, and behind it.
    """
    launch = text.launch
    over_arcs = launch.arc_form and launch.domain.kind not in ("edges", "active_edges")
    before_whole(text)
    if launch.by_arcs:
        with text.when("state[DIRECTED] != 0", has_else=True):
            one_map(text, f"{phase}_arcs", True, on_send, heard)
        with text.otherwise():
            one_map(text, phase, False, on_send, heard)
    else:
        one_map(text, phase, over_arcs, on_send, heard, store)
    commit_phase(text)


def one_map(
    text: LaunchText,
    phase: str,
    over_arcs: bool,
    on_send: OnSend | None,
    heard: Heard | None,
    store: Sending | None = None,
) -> None:
    """Write the work function of a map and its region."""
    launch, worker = text.launch, text.worker(phase)
    worker.vote_words(launch.send)
    worker.scalar_arguments(launch.send, launch.args, SEND)
    guard_arguments(worker)
    if store is not None:
        store.begin_sending(worker)
    queue = queue_of(worker, launch.domain, launch.ids)
    if launch.indexed is not None:
        queue = taken_of(worker, launch.number)
    if over_arcs:
        if launch.layout == "csr":
            text.measure()
        if launch.layout == "coo" and isinstance(queue, Queue):
            Senders(text).mark()
        arcs(worker, queue, on_send)
    elif launch.send.kind == "edge":
        edges(worker, queue, on_send)
    else:
        vertices(worker, queue, on_send, heard)
    if store is not None:
        store.end_sending(worker)
    text.phase(worker)
    text.long_rows(heard)
    if over_arcs and launch.layout == "coo" and isinstance(queue, Queue):
        Senders(text).unmark()


def push_phase(text: LaunchText, heard: Heard | None) -> None:
    """Write the push of messages into the receivers' accumulators; ``heard`` as for `map_phase`."""

    def on_send(worker: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        has_guard = text.launch.guard is not None
        cares = f"if {guard_text(text.launch, worker, receiver)}:" if has_guard else ""
        with worker.writer.block(cares):
            for fold in text.folds:
                fold.push(worker.writer, values, receiver)
            if text.listed:
                note_receiver(text, worker, receiver)

    map_phase(text, on_send, "push", heard)


def guard_text(launch: s.Launch, worker: Worker, vertex: str) -> str:
    """Return the condition without which the receiver does nothing."""
    place = Place({"own": vertex}, {}, RECEIVE, worker.unit.written)
    assert launch.guard is not None
    return ExpressionText(worker.writer, place, launch.receiver.function.name).text(launch.guard)


def note_receiver(text: LaunchText, worker: Worker, receiver: str, once: str = "") -> None:
    """Write the entry of a receiver into the list of receivers, and what is done once for it."""
    number = text.launch.number
    flags = worker.flags(f"received{number}")
    queue = worker.writer.scratch(f"receivers{number}", worker.unit.ids, "V")
    if not once:
        worker.append_new(queue, str(text.length), receiver, flags)
        return
    with worker.writer.block(f"if take_flag(shared, {flags}, {receiver}):"):
        worker.append(queue, str(text.length), receiver)
        worker.writer.add(once)


def paste(worker: Worker, place: Place, function: Any, body: b.Body) -> None:
    """Write a function's body at a place."""
    StatementText(worker.writer, place, function.name, body).paste()


def own_only(launch: s.Launch) -> frozenset[tuple[str, str]]:
    """Return the double-buffered columns that only their owners write."""
    foreign = {
        (each.kind, each.field)
        for each in launch.send.effects.writes
        if each.where != "own" or each.op in MASK_WORDS
    }
    return frozenset(key for key in launch.double_buffered if key not in foreign)


def place_of(
    worker: Worker, vertex: Ends, edge: Edges, element: str, on_send: OnSend | None
) -> Place:
    """Return the place of the launch's function."""

    def send(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        if on_send is None:  # nobody takes the messages
            return
        share = worker.launch.share
        with worker.writer.block(worker.if_owned(receiver) if share == "received" else ""):
            on_send(worker, stmt, values, receiver, how)

    launch = worker.launch
    return worker.place(
        SEND,
        vertex,
        edge,
        element=element,
        double_buffered=launch.double_buffered,
        asked=frozenset(key for key, words in words_of(launch.send).items() if len(words) > 1),
        own_only=own_only(launch),
        gathered=gatherings(launch),
        on_send=send,
    )


def vertices(worker: Worker, queue: Domain, on_send: OnSend | None, heard: Heard | None) -> None:
    """Write the walk over vertices with the body in it."""
    launch, count = worker.launch, "state[NUM_VERTICES]"
    with worker.ids(queue, "v", count), worker.writer.block(worker.if_own_instance("v")):
        start_own(worker, "vertex", "v")
        start_turns(worker)
        drawn = f"np.int64({worker.writer.copies.vertex('v')})"
        place = place_of(worker, {"own": "v"}, {}, drawn, on_send)
        value_arguments(worker, "v")
        if heard is not None:
            place.heard = heard(worker, "v")
        paste(worker, place, launch.send, launch.body)
        finish_own(worker, "v")
        if (hand_on := worker.unit.through.get(launch.number)) is not None:
            hand_on(worker)


def edges(worker: Worker, queue: Domain, on_send: OnSend | None) -> None:
    """Write the walk over edges, each once, with the body in it."""
    writer, launch = worker.writer, worker.launch
    with worker.ids(queue, "edge", "state[NUM_EDGES]"):
        worker.take_edge(queue, launch.body)
        writer.add(f"src = {writer.graph('src_of_edge')}[edge]")
        writer.add(f"dst = {writer.graph('dst_of_edge')}[edge]")
        ends = {"src": "src", "dst": "dst"}
        drawn = writer.number_of("edge", "edge") if draws(launch.body) else "edge"
        own = {"own": ("edge", "edge")}
        place = place_of(worker, ends, own, f"np.int64({drawn})", on_send)
        with writer.block(worker.if_own_instance("dst")):
            start_own(worker, "edge", "edge")
            start_turns(worker)
            paste(worker, place, launch.send, launch.body)
            finish_own(worker, "edge")


def arcs(worker: Worker, queue: Domain, on_send: OnSend | None) -> None:
    """Write the walk over arcs with the body in it; fields of the source are read once per row."""
    launch = worker.launch
    rows = Rows(worker.writer, launch.layout, "out")
    ends, own = {"src": "src", "dst": "dst"}, {"own": (rows.order, "arc")}
    place = place_of(worker, ends, own, drawn_id(rows, launch.body, "arc"), on_send)

    def per_row() -> None:
        value_arguments(worker, "src")
        hoist(worker, place, launch.body, "src")

    own_arc = "" if worker.unit.own_arcs else worker.if_own_instance("dst")
    walk = walk_arcs(worker, rows, queue, per_row)
    if launch.asks_first:
        looks = guard_text(launch, worker, "dst")
        walk = worker.asked_arcs(queue, per_row, f"({looks})")
    with walk, worker.writer.block(own_arc):
        start_turns(worker)
        paste(worker, place, launch.send, launch.body)
        finish_own(worker, "arc")


def hoist(worker: Worker, place: Place, body: b.Body, role: str) -> None:
    """Read the fields of one role to locals, once for many arcs."""
    for expr in b.expressions_in(body.statements):
        if not isinstance(expr, b.Load) or expr.element.role != role:
            continue
        key = (role, expr.field)
        if key in place.hoisted or ("vertex", expr.field) in place.double_buffered:
            continue
        name = f"{role}__{expr.field}"  # no array has such a name
        reader = ExpressionText(worker.writer, place, "")
        worker.writer.add(f"{name} = {reader.load(expr.element, expr.field, str(expr.type))}")
        place.hoisted[key] = name


def value_arguments(worker: Worker, index: str) -> None:
    """Write the sender's parameters that differ by vertex or copy, as those of one vertex."""
    launch = worker.launch
    worker.own_arguments(
        launch.send, launch.args, SEND, index, lambda values: kept_values(worker, values, index)
    )


def guard_arguments(worker: Worker) -> None:
    """Write the receiver's scalar parameters that its guard names."""
    launch = worker.launch
    if launch.receive is None or launch.guard is None:
        return
    named = {each.name for each in b.inside(launch.guard) if isinstance(each, b.Local)}
    args = tuple(each for each in launch.receive.args if each.name in named)
    worker.scalar_arguments(launch.receive.function, args, RECEIVE)


def kept_values(worker: Worker, values: s.Values, index: str) -> tuple[list[str], list[str]]:
    """Return the texts and types of a vertex's components of kept values."""
    kinds = worker.unit.stored_kinds.get(values.id, list(s.component_types(values.type)))
    return ComponentArrays(values.names, kinds, "V").read(worker.writer, index), kinds


def start_own(worker: Worker, kind: str, index: str) -> None:
    """Bring the second copies of own columns up to date before the instance runs."""
    for key in sorted(own_only(worker.launch)):
        if key[0] == kind:
            before, after = both_copies(worker, key)
            worker.writer.add(f"{after}[{index}] = {before}[{index}]")


def start_turns(worker: Worker) -> None:
    """Begin to count what an instance sends, where that tells its messages apart."""
    launch = worker.launch
    if launch.direction == "store" and is_repeated(launch):
        worker.writer.add("turn = 0")


def finish_own(worker: Worker, index: str) -> None:
    """Write what becomes of the returned value."""
    launch = worker.launch
    if launch.body.result is not None and (launch.aggregates or launch.returned is not None):
        if index == "arc" and launch.returned is not None:
            index = Rows(worker.writer, launch.layout, "out").id_at("arc", "arc")
        worker.returned(SEND, launch.body.result, launch.aggregates, launch.returned, index)


def before_whole(text: LaunchText) -> None:
    """Copy whole columns that other elements write through operators while they are read."""
    for key in whole_copies(text):
        before, after = both_copies(text, key)
        text.copy(after, before, key[0])


def whole_copies(text: LaunchText) -> list[tuple[str, str]]:
    """Return the double-buffered columns that are copied whole."""
    launch = text.launch
    return sorted(launch.double_buffered - own_only(launch) - launch.gathered)


def both_copies(part: Part, key: tuple[str, str]) -> tuple[str, str]:
    """Name a column and its second copy."""
    dtype = part.unit.schedule.program.fields[key].dtype.name
    return part.writer.column(*key, dtype), part.writer.next_column(*key, dtype)


def commit_phase(text: LaunchText) -> None:
    """Write the phase that makes the second copies of columns the current ones."""
    if own_only(text.launch):
        commit_own(text)
    masks = words_of(text.launch.send)
    for key in whole_copies(text):
        before, after = both_copies(text, key)
        if key in masks:
            text.settle(before, after)
        else:
            text.copy(before, after, key[0])
    settle_phases(text)


def commit_own(text: LaunchText) -> None:
    """Write the phase that makes the second copies of own columns the current ones."""
    launch, keys = text.launch, sorted(own_only(text.launch))
    worker = text.worker("commit")
    kind = "edge" if launch.send.kind == "edge" else "vertex"
    count = "state[NUM_EDGES]" if kind == "edge" else "state[NUM_VERTICES]"
    queue = queue_of(worker, launch.domain, launch.ids)
    with worker.ids(queue, "v", count):
        for key in keys:
            before, after = both_copies(worker, key)
            worker.writer.add(f"{before}[v] = {after}[v]")
    text.phase(worker)
