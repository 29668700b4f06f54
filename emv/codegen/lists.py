"""Messages in a list per receiver, which grows by a node for each (Mitani, Ino, Hagihara, 2014).

A node is a place of one array, the arena, which is given out by a pointer that only moves on: what
a thread needs is one atomic operation for all lanes of its warp, and one store frees everything
(MapCG's allocator: Hong, Chen, Chen, Zheng and Lin, PACT 2010). Links hold *addresses*: the number
of a node plus the *origin*, which is where the pointer stood when the superstep began. Addresses
below it are those of earlier supersteps and mean that there is nothing, so that neither links nor
heads are cleared, and there is no stamp that could come round.

A node is put into a list by an exchange of its head, one atomic operation, whoever else does the
same; behind it stands what was there. `emv.codegen.trees` has the other way.

Where order does not show, a receiver's thread folds along its list, each address read out of the
node before. A list of more than `Worker.most_alone` messages it leaves to all threads: these go
over the arena in equal shares and fold by atomic operations. Where order shows, lists are laid out,
long ones again by all threads, and sorted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen import receiving
from emv.codegen.accumulators import Accumulators
from emv.codegen.appended import Appended
from emv.codegen.buffers import dependents, forget_receivers, kept_folds
from emv.codegen.launch import LaunchText
from emv.codegen.queues import Queue, receivers_of
from emv.codegen.state import Own, place_of_launch
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.ir.kernel import Room
from emv.passes.choose_direction import has_atomic
from emv.passes.sends import most_messages, sends_all


class Lists(Appended):
    """Messages stand in lists, into which they are put at the head."""

    is_copied = False  # whether they are read from a copy of the arena

    @property
    def size(self) -> str:
        """Return how many messages there is room for: what runs have found to be sent."""
        return self.name

    def begin_room(self, instance: str) -> Room:
        """Return the room of runs that know nothing: that of some, unless everybody sends."""
        most = most_messages(self.launch)
        return Room(most if most and sends_all(self.launch) else f"{instance}/16+1024", most)

    def links(self, worker: Worker, stem: str = "") -> tuple[str, str]:
        """Name the first nodes of vertices, and the node behind each: addresses."""
        scratch = worker.writer.scratch
        return (
            scratch(f"{stem}head{self.base}", "int64", "V", 0),
            scratch(f"{stem}behind{self.base}", "int64", self.sized(worker)),
        )

    def marker(self, worker: Worker) -> str:
        return self.key(worker) if self.is_ordered else self.links(worker)[1]

    def behind(self, worker: Worker, node: str) -> str:
        """Return the text of the address behind a node, once everything is sent."""
        return f"{self.links(worker, self.stem)[1]}[{node}]"

    @property
    def stem(self) -> str:
        """Return what the arrays that are read are called before their own names."""
        return "read_" if self.is_copied else ""

    @property
    def origin(self) -> str:
        """Return the text of the address at which this superstep began."""
        return self.place(Own.ORIGIN)

    # Sending.

    def forget(self, text: LaunchText) -> None:
        """Write that nothing is sent yet: the origin is behind all that was given out."""
        if kept_folds(text):
            forget_receivers(text, self)
        else:
            text.serial(f"state[{text.length}] = 0")
        text.serial(f"{self.origin} += {self.place(Own.COUNT)} + 1")
        text.serial(f"{self.place(Own.COUNT)} = 0")
        text.serial(f"{self.place(Own.REGIONS)} = 0")

    def unmark(self, worker: Worker) -> None:
        """Do nothing: whose head is below the origin is no receiver."""

    def begin_sending(self, worker: Worker) -> None:
        """Write the origin to a local."""
        worker.writer.add(f"origin = {self.origin}")

    def send(
        self, text: LaunchText, worker: Worker, stmt: b.Send, values: list[str], to: tuple[str, str]
    ) -> None:
        """Write a message into a node, and put it into the receiver's list."""
        queue = receivers_of(worker, self.base).name
        with self.taken(worker):
            self.put(worker, stmt, values, to[1])
            if self.is_ordered or self.is_folded:  # by all threads, who ask whom it is for
                worker.writer.add(f"{self.target(worker)}[entry] = {to[0]}")
            with worker.writer.block(f"if {self.insertion(worker, to[0])}:"):
                worker.append(queue, str(text.length), to[0])

    def put(self, worker: Worker, stmt: b.Send, values: list[str], how: str) -> None:
        """Write a message to place ``entry``, with its key where the order shows."""
        if self.is_ordered:
            super().put(worker, stmt, values, how)
        else:
            self.write(worker, values)

    def insertion(self, worker: Worker, receiver: str) -> str:
        """Return the call that puts node ``entry`` into a list, and says if it is the first."""
        head, behind = self.links(worker)
        return f"put_first(shared, {head}, {behind}, {receiver}, entry, origin)"

    # Between sending and reading.

    def gather(self, text: LaunchText) -> None:
        """Write the phases between; where order shows, lists become sorted stretches."""
        self.after_send(text)
        if self.is_copied:
            self.copy_out(text)
        self.straighten(text)
        if self.is_ordered:
            self.lay_out(text)
            text.sort_messages(self)

    def straighten(self, text: LaunchText) -> None:
        """Do nothing: they are lists."""

    def entries_of_node(self, worker: Worker, stem: str) -> list[str]:
        """Return the texts of all that readers are told by node ``entry``."""
        sent = self.component_arrays(worker, f"{stem}stored").arrays(worker.writer)
        return [*(f"{name}[entry]" for name in sent), f"{self.links(worker, stem)[1]}[entry]"]

    def copy_out(self, text: LaunchText) -> None:
        """Write the copy of all nodes and heads, after which the arena could be sent into again."""
        worker = text.worker("copy_nodes")
        with worker.ids(None, "entry", self.place(Own.COUNT)):
            copies = self.entries_of_node(worker, self.stem)
            for into, out in zip(copies, self.entries_of_node(worker, ""), strict=True):
                worker.writer.add(f"{into} = {out}")
        text.phase(worker)
        worker = text.worker("copy_heads")
        with worker.ids(receivers_of(worker, self.base), "v", ""):
            into, out = self.links(worker, self.stem)[0], self.links(worker)[0]
            worker.writer.add(f"{into}[v] = {out}[v]")
        text.phase(worker)

    def lay_out(self, text: LaunchText) -> None:
        """Write the phases that lay lists out, a stretch of entries for each."""
        worker = text.worker("lay_out")
        writer, regions = worker.writer, place_of_launch(self.base, Own.REGIONS)
        counts, ends = self.heard(worker)
        with worker.ids(receivers_of(worker, self.base), "v", ""):
            writer.add("num_nodes = np.int64(0)")
            with self.walk_list(worker, "v", worker.most_alone):
                writer.add("num_nodes += 1")
            with writer.block("if at >= origin:"):
                writer.add("num_nodes = np.int64(0)")
                self.note_long(worker)
            writer.add(f"{counts}[v] = num_nodes")
            writer.add(f"begin = take_stretch(shared, state, {regions}, num_nodes)")
            writer.add(f"{ends}[v] = origin + begin + num_nodes")
            with writer.block("if num_nodes > 0:"), self.walk_list(worker, "v"):
                writer.add(f"{self.entries(worker)}[begin] = entry\nbegin += 1")
        text.phase(worker)
        with text.when(f"{self.num_long} > 0"):
            self.lay_out_long(text)

    def lay_out_long(self, text: LaunchText) -> None:
        """Write the phases in which all threads lay long lists out: count, begin, place."""
        worker = text.worker("count_long")
        with self.every_long(worker):
            worker.writer.add(f"add_if(shared, {self.heard(worker)[0]}, row, 1)")
        text.phase(worker)
        worker = text.worker("begin_long")
        counts, ends = self.heard(worker)
        with worker.ids(self.long_lists(worker), "v", ""):
            place = place_of_launch(self.base, Own.REGIONS)
            worker.writer.add(f"begin = take_stretch(shared, state, {place}, {counts}[v])")
            worker.writer.add(f"{ends}[v] = {self.origin} + begin")
        text.phase(worker)
        worker = text.worker("place_long")
        entries, ends = self.entries(worker), self.heard(worker)[1]
        with self.every_long(worker):
            worker.writer.add(f"at = add_if(shared, {ends}, row, 1) - {self.origin}")
            worker.writer.add(f"{entries}[at] = entry")
        text.phase(worker)
        worker = text.worker("forget_long")
        with worker.ids(self.long_lists(worker), "v", ""):
            worker.writer.add(f"{self.are_long(worker)}[v] = 0")
        text.phase(worker)
        text.serial(f"{self.num_long} = 0")

    # Long lists.

    def are_shared(self, text: LaunchText) -> bool:
        """Return whether all threads read long lists: laid out, or folded by atomics."""
        launches = [self.launch, *dependents(text.unit, self.base)]
        return self.is_ordered or all(has_atomic(fold) for e in launches for fold in e.folds)

    @property
    def num_long(self) -> str:
        """Return the text of how many lists are long."""
        return self.place(Own.LONG_ONES)

    def long_lists(self, worker: Worker) -> Queue:
        """Name the receivers of long lists."""
        size = "+".join(f"{term}/{worker.most_alone}" for term in self.sized(worker).split("+"))
        name = worker.writer.scratch(f"long_lists{self.base}", worker.unit.ids, f"{size}+1")
        return Queue(name, self.num_long)

    def are_long(self, worker: Worker) -> str:
        """Name what says whose list is long."""
        return worker.writer.scratch(f"is_long{self.base}", "uint8", "V", 0)

    def note_long(self, worker: Worker) -> None:
        """Write that the list of ``v`` is long."""
        worker.writer.add(f"{self.are_long(worker)}[v] = 1")
        place = place_of_launch(self.base, Own.LONG_ONES)
        worker.append(self.long_lists(worker).name, str(place), "v")

    @contextlib.contextmanager
    def every_long(self, worker: Worker) -> Iterator[None]:
        """Write the walk over all messages to receivers of long lists: ``entry`` and ``row``."""
        with self.every(worker):
            worker.writer.add(f"row = {self.target(worker)}[entry]")
            with worker.writer.block(f"if {self.are_long(worker)}[row] != 0:"):
                yield

    # Reading.

    def read(self, worker: Worker) -> list[str]:
        is_sent = self.number == self.base  # what a @message function leaves is no node
        stem = f"{self.stem}stored" if is_sent else "stored"
        return self.component_arrays(worker, stem).read(worker.writer, "entry")

    def heard(self, worker: Worker) -> tuple[str, str]:
        """Name how many messages a receiver has, and the address of the end of its stretch."""
        scratch = worker.writer.scratch
        return (
            scratch(f"num_heard{self.base}", "int64", "V"),
            scratch(f"heard_end{self.base}", "int64", "V", 0),
        )

    def span(self, worker: Worker, row: str) -> tuple[str, str]:
        """Return the texts of the first and the last but one position of a receiver.

        The end of a stretch of an earlier superstep lies below the origin: then both are 0.
        """
        counts, ends = self.heard(worker)
        end = f"{ends}[{row}] - {self.origin}"
        return f"max({end} - {counts}[{row}], np.int64(0))", f"max({end}, np.int64(0))"

    @contextlib.contextmanager
    def walk(self, worker: Worker, vertex: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the loop over a vertex's messages, along its list if nothing was sorted."""
        if self.is_ordered:
            with super().walk(worker, vertex, loc):
                yield
            return
        with self.walk_list(worker, vertex):
            yield

    @contextlib.contextmanager
    def walk_list(self, worker: Worker, vertex: str, most: int = 0) -> Iterator[None]:
        """Write the loop along a list; ``at`` is the address behind it, or behind the first."""
        writer = worker.writer
        head = self.links(worker, self.stem)[0]
        writer.add(f"origin = {self.origin}\nat = np.int64({head}[{vertex}])")
        if most:
            writer.add(f"left = {most}")
        with writer.block(f"while at >= origin{' and left > 0' if most else ''}:"):
            writer.add("entry = at - origin")
            yield
            writer.add(f"at = np.int64({self.behind(worker, 'entry')})")
            if most:
                writer.add("left -= 1")

    def fold(self, text: LaunchText) -> None:
        """Write the fold: over equal shares of sorted entries, or along the lists."""
        if self.is_ordered:
            super().fold(text)
        elif self.are_shared(text):
            self.fold_lists(text)
            with text.when(f"{self.num_long} > 0"):
                self.fold_long(text)
            if self.receives:
                receiving.forget_folded(text)
        else:
            self.fold_each(text)

    def fold_lists(self, text: LaunchText) -> None:
        """Write the fold along each list, but for long ones."""
        worker = text.worker("fold")
        queue = receivers_of(worker, self.base)
        if self.receives:
            receiving.begin_receiving(text, worker, queue)
        with worker.ids(queue, "v", ""):
            folded = Accumulators(worker.writer, text.folds)
            folded.start()
            with self.walk_list(worker, "v", worker.most_alone):
                folded.step(self.read(worker))
            with worker.writer.block("if at >= origin:"):
                self.note_long(worker)
                for fold in text.folds:
                    fold.reset(worker.writer, "v", packed=fold.whole)
            with worker.writer.block("else:"):
                if self.receives:
                    receiving.take_folded(text, worker, folded)
                else:
                    folded.keep("v")
        text.phase(worker)

    def fold_long(self, text: LaunchText) -> None:
        """Write the fold of long lists, by all threads, and what their receivers do with it."""
        worker = text.worker("fold_long")
        with self.every_long(worker):
            values = self.read(worker)
            for fold in text.folds:
                fold.push(worker.writer, values, "row")
        text.phase(worker)
        worker = text.worker("receive_long")
        queue = self.long_lists(worker)
        if self.receives:
            receiving.begin_receiving(text, worker, queue)
        with worker.ids(queue, "v", ""):
            worker.writer.add(f"{self.are_long(worker)}[v] = 0")
            folded = {}
            for fold in text.folds:
                read = fold.unpack if fold.whole else fold.kept.read
                folded[fold.fold.values.id] = (read(worker.writer, "v"), fold.stored)
                if fold.whole and not self.receives:
                    fold.kept.put(worker.writer, "v", folded[fold.fold.values.id][0])
            if self.receives:
                receiving.give(text, worker, folded)
        text.phase(worker)
        text.serial(f"{self.num_long} = 0")


class CopiedLists(Lists):
    """The same with one arena, out of which messages are copied before they are read."""

    is_copied = True
