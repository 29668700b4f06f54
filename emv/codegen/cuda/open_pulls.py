"""A claim's pull on a GPU whose loop has nobody active but whom the claim itself has found.

Every receiver asks one in-neighbour first, that with the most out-arcs (`emv.graph.heads`); a lane
does for each, since where graphs are skewed that one answers nearly all. Who hears nothing walks
its row. Bits say who is active, by places in the order of pulls, and whom a pull finds has a bit
for the next superstep at once: no queue is entered into bits, and none is taken out of them, as
long as pulls follow each other (the bits of three supersteps: whom is asked, who is found, and
those that are being cleared). Who stays open is listed, and the next pull looks at no others.

Whom warps find and leave open they put onto piles, so that the lengths of queues are changed by few
atomics. The direction is chosen as in `emv.codegen.cuda.claiming`. Bitmaps for pulls are Beamer's,
Asanovic's and Patterson's (SC 2012), lists of who is open Then's et al. (PVLDB 8(4), 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.place import Place
from emv.codegen.queues import VERTICES, ActiveSet, Queue
from emv.codegen.sending import RECEIVE, place_of
from emv.codegen.state import Own
from emv.ir import schedule as s

if TYPE_CHECKING:
    from emv.codegen.cuda.claiming import CudaClaim

WAVES = "V/32+V/32+V/32+3"  # words of the bits of three supersteps


class OpenWorker(CudaWorker):
    """A work function in which whoever is activated is noted, and queued later."""

    def put_active(self, members: ActiveSet, index: str) -> None:
        self.writer.add("is_active = True")


class OpenPull:
    """Writes the phases of a pull.

    Parameters
    ----------
    claim : CudaClaim
        Whose pull it is.
    """

    def __init__(self, claim: CudaClaim) -> None:
        self.claim, self.text = claim, claim.text
        self.launch = claim.launch
        self.pulls = self.text.own(Own.PULLS)
        self.open, self.next_open = self.text.own(Own.OPEN), self.text.own(Own.NEXT_OPEN)

    def choose(self, choice: str) -> None:
        """Write the choice of the direction; what is known of pulls ends where the loop begins."""
        loop = next(
            each for each in s.loops_in(self.text.unit.schedule.body) if self.launch in each.body
        )
        self.text.serial(f"""
            if {self.text.writer.slot(loop.step)} == 0:
                {self.pulls} = 0
                state[PULLING] = 0
                state[SEEN_VOLUME] = 0
        """)
        self.text.serial(choice)
        self.text.serial(f"""
            {self.pulls} = {self.pulls} + 1 if state[PULLING] != 0 else 0
            {self.open} = {self.next_open}
            {self.next_open} = 0
        """)

    def write(self) -> None:
        """Write the pull."""
        with self.text.when(f"{self.pulls} == 1"):
            self.clear()
            self.enter()
        self.look()
        with self.text.when("state[NUM_PIECES] != 0"):
            self.look_in_pieces()

    def waves(self, worker: CudaWorker) -> str:
        """Name the bits of who is active, found, and to be cleared; write where each begins."""
        bits = worker.writer.scratch(f"waves{self.launch.number}", "uint32", WAVES, 0)
        worker.writer.add(f"""
            words = np.int32((state[NUM_VERTICES] >> 5) + 1)
            now = np.int32({self.pulls} % 3 * words)
            then = np.int32(({self.pulls} + 1) % 3 * words)
        """)
        return bits

    def clear(self) -> None:
        """Write the walk that clears the bits of the first two supersteps."""
        bits = f"waves{self.launch.number}"
        worker = self.text.worker("clear")
        worker.writer.scratch(bits, "uint32", WAVES, 0)
        words = "((state[NUM_VERTICES] >> 5) + 1)"
        with worker.ids(None, "row", f"2 * {words}"):
            worker.writer.add(f"{bits}[np.int64(row) + {words}] = 0")
        self.text.phase(worker)

    def enter(self) -> None:
        """Write the entry of the active into bits."""
        worker = self.text.worker("enter")
        bits, place = self.waves(worker), worker.writer.graph("pull_place")
        active = Queue(VERTICES.queue(worker, "active"), "state[NUM_ACTIVE]")
        with worker.ids(active, "v", ""):
            worker.writer.add(f"set_bit({bits}, np.int64(now) * 32 + np.int64({place}[v]))")
        self.text.phase(worker)

    # Receivers.

    def started(self, phase: str, kind: type[CudaWorker]) -> tuple[CudaWorker, Place]:
        """Return a work function that knows what all receive: what the first of the active holds.

        All of them hold the same (`emv.passes.level_fields`).
        """
        claim = self.claim
        worker = kind(self.text.unit, f"{self.text.name}_{phase}", self.launch)
        worker.vote_words(claim.function)
        worker.scalar_arguments(claim.function, self.launch.receiver.args, RECEIVE)
        claim.begin(worker)
        place = place_of(worker, {"src": "src", "dst": "v"}, {}, "0", None)
        worker.writer.add(f"src = {VERTICES.queue(worker, 'active')}[0]")
        claim.ask_sender(worker, place)
        return worker, place

    def lists(self, worker: CudaWorker) -> tuple[str, str]:
        """Name the places of who is open, and of who will be; every pull exchanges them."""
        number, scratch = self.launch.number, worker.writer.scratch
        names = (f"open{number}", f"next_open{number}")
        now, then = (scratch(each, worker.unit.ids, "V") for each in names)
        worker.writer.add(f"if {self.pulls} & 1 != 0: {now}, {then} = {then}, {now}")
        return now, then

    def look(self) -> None:
        """Write the walk over receivers: all that have in-arcs and are no hubs, or the open ones."""
        worker, place = self.started("look", OpenWorker)
        writer, number, array = worker.writer, worker.number, self.claim.column(worker.writer)
        bits, (listed, next_listed) = self.waves(worker), self.lists(worker)
        graph, empty = writer.graph, self.claim.empty
        begins, senders, places = graph("first_in"), graph("src_of_slot"), graph("pull_place")
        heads, order = graph("pull_head"), graph("pull_order")
        pending = VERTICES.queue(worker, "pending")
        piles = "piles" if number == "np.uint32" else "wide_piles"
        worker.shared[piles] = None
        walk = f"""
            is_first = {self.pulls} == 1
            size = {number}(state[NUM_VERTICES] if is_first else {self.open})
            lane = np.int32(cuda.laneid)
            held, left, arcs = np.int32(0), np.int32(0), np.int64(0)
            k = {number}(me)
            while k - lane < size:
                index = {number}(0)
                if k < size:
                    index = {number}(k if is_first else {listed}[k])
                head, v = {number}({heads}[index]), {number}({order}[index])
                asks = k < size and head < {number}(state[NUM_VERTICES])
                if asks and is_first: asks = {array}[v] == {empty}
                is_found = asks and bit_at({bits}, now, head) != 0
                looks, slot, count = asks and not is_found, {number}(0), np.int32(0)
                if looks:
                    slot = {number}({begins}[v])
                    count = np.int32({number}({begins}[v + ONE]) - slot)
                has_heard = hears({bits}, now, {places}, {senders}, slot, count)
                is_found = is_found or has_heard
                stays, is_active = asks and not is_found, False
                if is_found:
                    ...
                note_found({bits}, then, index, is_found, is_first)
                held = pile_up({piles}, own_pile(0), held, is_active, v, {pending}, state, NUM_PENDING)
                left = pile_up({piles}, own_pile(1), left, stays, index, {next_listed}, state, OPEN)
                k = {number}(k + threads)
            empty_pile({piles}, own_pile(0), held, {pending}, state, NUM_PENDING)
            empty_pile({piles}, own_pile(1), left, {next_listed}, state, OPEN)
            arcs = total_of(arcs)
            if lane == 0 and arcs > 0: fetch_add(state, PENDING_ARCS, arcs)
            after = np.int32(({self.pulls} + 2) % 3 * words)
            word = np.int32(me)
            while word < words:
                {bits}[np.int64(after) + word] = 0
                word = np.int32(word + threads)
        """.replace(" OPEN)", f" {self.text.own_place(Own.NEXT_OPEN)})")
        with worker.counted(), writer.around(walk):
            writer.add(f"arcs += np.int64({graph('pull_arcs')}[index])")
            self.claim.write_message(worker, place)
            writer.add(f"{array}[v] = message\nstays = message == {empty}")
            self.claim.received(worker, "v")
        self.text.phase(worker)

    def look_in_pieces(self) -> None:
        """Write the walk over the pieces of hubs, each by a warp: several may find their hub."""
        worker, place = self.started("hubs_look", CudaWorker)
        writer, graph, number = worker.writer, worker.writer.graph, worker.number
        array, bits, places = self.claim.column(writer), self.waves(worker), graph("pull_place")
        begins, ends = graph("pull_piece_begin"), graph("pull_piece_end")
        walk = f"""
            task = np.int32(me >> 5)
            while task < state[NUM_PIECES]:
                v, slot = {number}({graph("pull_piece_vertex")}[task]), {number}({begins}[task])
                asks = cuda.laneid == 0 and {array}[v] == {self.claim.empty}
                count = np.int32({number}({ends}[task]) - slot) if asks else np.int32(0)
                if hears({bits}, now, {places}, {graph("src_of_slot")}, slot, count):
                    ...
                task = np.int32(task + (threads >> 5))
        """
        with worker.counted(), writer.around(walk):
            self.claim.write_message(worker, place)
            with writer.block(f"if {self.claim.claims(worker, array, 'v')}:"):
                writer.add(f"note_found({bits}, then, {places}[v], True, False)")
                self.claim.received(worker, "v")
        self.text.phase(worker)
