"""The phases around a push: start values before it, the receiver or the kept folds after it.

Start values are put everywhere once. Later those are put back who received, as a queue of theirs
says; where the receiving function runs in the launch it does so itself, vertex by vertex, and no
phase of their own is needed. Pairs that were pushed as one word are taken apart there, too.
"""

from __future__ import annotations

from emv.codegen.accumulators import Accumulators
from emv.codegen.launch import LaunchText
from emv.codegen.queues import Queue, receivers_of
from emv.codegen.sending import RECEIVE, paste
from emv.codegen.state import Own
from emv.codegen.worker import Worker


def prepare_phase(text: LaunchText, is_forgotten: bool = True) -> None:
    """Write the phase that puts start values into accumulators.

    The first time every vertex gets them, later only the receivers of the last superstep; those of
    a fused receiver were reset while it ran. Where it is not noted who receives, so that nothing is
    forgotten, every vertex gets them each time.
    """
    launch = text.launch
    if launch.receive is not None and launch.receivers and launch.direction == "push":
        text.serial(f"state[{text.length}] = 0")  # until here others may go over the receivers
    if not text.folds and launch.receive is not None:
        return
    changing = any(fold.fold.initial is not None for fold in text.folds)
    changing = changing or (launch.receive is None and not is_forgotten)
    condition = "True" if changing else f"{text.own(Own.PREPARED)} == 0"
    if text.folds:
        with text.when(condition):
            dense = text.worker("prepare")
            with dense.ids(None, "v", "state[NUM_VERTICES]"):
                reset(text, dense, "v", both=True)
            text.phase(dense)
            text.serial(f"{text.own(Own.PREPARED)} = 1")
    if launch.receive is None and text.listed and launch.direction != "either":
        clear_receivers(text)


def reset(text: LaunchText, worker: Worker, index: str, both: bool) -> None:
    """Write the start values of a vertex's accumulators."""
    launch = text.launch
    is_packed = launch.direction in ("push", "either") and not launch.keeps
    is_pulled = launch.direction == "pull"
    for fold in text.folds:
        if fold.whole and is_packed:
            fold.reset(worker.writer, index, packed=True)
        in_arrays = not (fold.whole and (is_packed or is_pulled))  # so are folds of kept messages
        if in_arrays or (both and launch.receive is None):
            fold.reset(worker.writer, index, packed=False)


def receivers(text: LaunchText, worker: Worker) -> Queue:
    """Return the queue of this launch's receivers."""
    return receivers_of(worker, text.launch.number)


def clear_receivers(text: LaunchText) -> None:
    """Write the phase that forgets the receivers of the last superstep."""
    worker = text.worker("forget")
    queue = receivers(text, worker)
    flags = worker.flags(f"received{text.launch.number}")
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{flags}[v] = 0")
        reset(text, worker, "v", both=True)
    text.phase(worker)
    text.serial(f"state[{text.length}] = 0")


def after_send(text: LaunchText, pushed: bool, sent: bool | None = None) -> None:
    """Write what follows when all messages are folded; ``sent`` tells two ways of one launch."""
    store = text.unit.stores.get(text.launch.number)  # a @message function has another's queue
    in_queue = text.listed or (store is not None and store.has_queue)
    if text.launch.receive is None and in_queue and text.unit.schedule.sorted_queues:
        text.sort(receivers_of(text, text.launch.number))
    if text.launch.receive is not None:
        receive_phase(text, pushed, pushed if sent is None else sent)
    elif pushed and any(fold.whole for fold in text.folds):
        unpack_phase(text)


def unpack_phase(text: LaunchText) -> None:
    """Write the phase that splits packed pairs into their components."""
    worker = text.worker("unpack")
    queue = receivers(text, worker)
    with worker.ids(queue, "v", ""):
        for fold in text.folds:
            if fold.whole:
                fold.kept.put(worker.writer, "v", fold.unpack(worker.writer, "v"))
    text.phase(worker)


def receive_phase(text: LaunchText, pushed: bool, sent: bool) -> None:
    """Write the phase in which receivers take their folds."""
    launch, worker = text.launch, text.worker("receive" if sent else "receive_pulled")
    receive = launch.receiver
    queue = None if receive.everyone else receivers(text, worker)
    begin_receiving(text, worker, queue)
    with worker.ids(queue, "v", "state[NUM_VERTICES]"):
        folded = {}
        for fold in text.folds:
            read = fold.unpack if fold.whole and pushed else fold.kept.read
            texts = read(worker.writer, "v")
            folded[fold.fold.values.id] = (texts, fold.stored)
        give(text, worker, folded)
        reset(text, worker, "v", both=False)
        forgets = queue is not None and launch.direction != "store"  # which does where it sends
        if forgets:
            unmark(text, worker)
    text.phase(worker)
    if forgets:
        forget_folded(text)


def begin_receiving(text: LaunchText, worker: Worker, queue: Queue | None) -> None:
    """Write what the function that receives is the same for, and put its queue in order."""
    receive = text.launch.receiver
    worker.vote_words(receive.function)
    worker.scalar_arguments(receive.function, receive.args, RECEIVE)
    if queue is not None and text.unit.schedule.sorted_queues:
        text.sort(queue)


def take_folded(text: LaunchText, worker: Worker, folded: Accumulators) -> None:
    """Write the receiving function of ``v``, whose messages one thread has just folded."""
    give(text, worker, texts_of(folded))
    unmark(text, worker)


def unmark(text: LaunchText, worker: Worker) -> None:
    """Write that ``v`` is no receiver any more."""
    worker.writer.add(f"{worker.flags(f'received{text.launch.number}')}[v] = 0")


def forget_folded(text: LaunchText) -> None:
    """Write that nobody is in the queue of receivers, unless others still go over it."""
    if not text.launch.receivers:
        text.serial(f"state[{text.length}] = 0")


def give(text: LaunchText, worker: Worker, folded: dict[int, tuple[list[str], list[str]]]) -> None:
    """Write the receiving function of vertex ``v`` with its folds as arguments."""
    receive = text.launch.receiver
    result = receive.function.body.result
    drawn = f"np.int64({worker.writer.copies.vertex('v')})"
    with worker.writer.block(worker.if_owned("v")):
        worker.own_arguments(
            receive.function, receive.args, RECEIVE, "v", lambda values: folded[values.id]
        )
        place = worker.place(RECEIVE, {"own": "v"}, {}, element=drawn)
        paste(worker, place, receive.function, receive.function.body)
        if result is not None and (receive.aggregates or receive.returned is not None):
            worker.returned(RECEIVE, result, receive.aggregates, receive.returned, "v")
        if (hand_on := worker.unit.through.get(text.launch.number)) is not None:
            hand_on(worker)


def texts_of(folded: Accumulators) -> dict[int, tuple[list[str], list[str]]]:
    """Return the locals that hold folds and their types, by what is folded."""
    return {
        fold.fold.values.id: (names, fold.stored)
        for fold, names in zip(folded.folds, folded.names, strict=True)
    }


def take(text: LaunchText, worker: Worker, folded: Accumulators) -> None:
    """Write what becomes of a receiver's folds: the receiving function, or the arrays."""
    writer = worker.writer
    if text.inline:
        with writer.block("" if text.everyone else "if received:"):
            give(text, worker, texts_of(folded))
        if (make := worker.unit.makes.get(text.launch.number)) is not None:
            with writer.block(worker.if_owned("v")):
                make(worker)
        return
    folded.keep("v")
    if text.listed:
        queue, flags = receivers(text, worker), worker.flags(f"received{text.launch.number}")
        with writer.block("if received:"):
            writer.add(f"{flags}[v] = 1")
            worker.append(queue.name, str(text.length), "v")
