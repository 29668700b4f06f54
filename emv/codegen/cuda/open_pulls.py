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

from typing import Any

from emv.codegen.cuda.control import ALONE_ARCS
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.place import Place
from emv.codegen.queues import VERTICES, active_queue
from emv.codegen.sending import RECEIVE, place_of
from emv.codegen.state import Own
from emv.ir import schedule as s

PAYS = 4  # arcs of the active for each receiver that is open, from which a pull pays
WAVES = "V/32+V/32+V/32+3"  # words of the bits of three supersteps


class OpenPull:
    """Writes the phases of a pull.

    Parameters
    ----------
    claim : CudaClaim
        Whose pull it is.

    Attributes
    ----------
    size : str
        How many words the bits of three supersteps take.
    nobody : str
        A number above all places.
    place : str
        The place of the receiver ``v``, which stands at ``index`` in the order of pulls.
    hub : str
        Where a hub ``v`` stands there.
    is_word : str
        Whether a warp has the receivers of one word.
    own_begin, own_end : str
        The words in which receivers have their bits.
    """

    size, words = WAVES, "((state[NUM_VERTICES] >> 5) + 1)"
    nobody, place, hub = "state[NUM_VERTICES]", "index", "{number}(pull_place[v])"
    is_word = "is_first and k - lane >= hubs"
    own_begin, own_end = "", "words"

    def __init__(self, claim: Any) -> None:
        self.claim, self.text = claim, claim.text
        self.launch = claim.launch
        self.pulls = self.text.own(Own.PULLS)
        self.open, self.next_open = self.text.own(Own.OPEN), self.text.own(Own.NEXT_OPEN)
        self.open_hubs = self.text.own(Own.OPEN_HUBS)
        self.next_open_hubs = self.text.own(Own.NEXT_OPEN_HUBS)
        self.begun, self.bits = self.text.own(Own.BEGUN), f"waves{self.launch.number}"

    def choose(self, choice: str) -> None:
        """Write the choice of the direction; what is known of pulls ends where the loop begins.

        Behind a pull another is taken where few are left open, however few are active.
        """
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
        few_open = f"{self.left_open} * {PAYS} <= state[ACTIVE_ARCS]"
        self.text.serial(f"""
            if {self.pulls} > 0 and state[ACTIVE_ARCS] > {ALONE_ARCS} and {few_open}:
                state[PULLING] = 1
            {self.pulls} = {self.pulls} + 1 if state[PULLING] != 0 else 0
            if {self.pulls} == 1: {self.begun} += 1
            {self.open} = {self.next_open}
            {self.next_open} = 0
            {self.open_hubs} = {self.next_open_hubs}
            {self.next_open_hubs} = 0
        """)

    @property
    def left_open(self) -> str:
        """Return the text of how many receivers the pull before has left open."""
        return str(self.next_open)

    def write(self) -> None:
        """Write the pull."""
        with self.text.when(f"{self.pulls} == 1"):
            with self.text.when(f"{self.begun} > 1"):
                self.clear()
            self.enter()
        self.look()

    def waves(self, worker: CudaWorker) -> str:
        """Name the bits of who is active, found, and to be cleared; write where each begins."""
        bits = worker.writer.scratch(self.bits, "uint32", self.size, 0)
        worker.writer.add(f"""
            words = np.int32{self.words}
            now = np.int32({self.pulls} % 3 * words)
            then = np.int32(({self.pulls} + 1) % 3 * words)
        """)
        return bits

    def clear(self) -> None:
        """Write the walk that clears the bits of the first two supersteps."""
        worker = self.text.worker("clear")
        worker.writer.scratch(self.bits, "uint32", self.size, 0)
        with worker.ids(None, "row", f"2 * {self.words}"):
            worker.writer.add(f"{self.bits}[np.int64(row) + {self.words}] = 0")
        self.text.phase(worker)

    def enter(self) -> None:
        """Write the entry of the active into bits."""
        worker = self.text.worker("enter")
        bits, place = self.waves(worker), worker.writer.graph("pull_place")
        with worker.ids(active_queue(worker), "v", ""):
            worker.writer.add(f"set_bit({bits}, np.int64(now) * 32 + np.int64({place}[v]))")
        self.text.phase(worker)

    # Receivers.

    def look(self) -> None:
        """Write the walk over receivers: all that have in-arcs, or those who are open.

        All of them hear what the first of the active holds (`emv.passes.level_fields`).
        """
        claim = self.claim
        worker = self.text.worker("look")
        worker.use_piles()
        writer = worker.writer
        worker.vote_words(claim.function)
        worker.scalar_arguments(claim.function, self.launch.receiver.args, RECEIVE)
        claim.begin(worker)
        place = place_of(worker, {"src": "src", "dst": "v"}, {}, "0", None)
        self.name_sender(worker)
        claim.ask_sender(worker, place)
        names = {
            "bits": self.begin(worker),
            "field": claim.column(writer),
            "empty": claim.empty,
            "piles": worker.piles,
            "pending": VERTICES.queue(worker, "pending"),
            "number": worker.number,
            "pulls": self.pulls,
            "open_rows": self.open,
            "length": self.text.own_place(Own.NEXT_OPEN),
            "stay_open": self.next_open_hubs,
            "nobody": self.nobody,
            "is_word": self.is_word,
            "own_begin": self.own_begin,
            "own_end": self.own_end,
        }
        names |= {each: getattr(self, each).format_map(names) for each in ("place", "hub")}
        for name in INDEX_ARRAYS:
            writer.graph(name)
        names["listed"], names["next_listed"] = self.lists(worker)
        if claim.below("message"):
            claim.write_message(worker, place)
        with worker.counted(), writer.block(claim.below("message")):
            writer.add(BEGIN.format_map(names))
            with (
                writer.block(f"if is_first or {self.open_hubs} != 0:"),
                writer.around(HUBS.format_map(names)),
            ):
                self.take(worker, place, names, claim.claims(worker, names["field"], "v"))
            with writer.around(ROWS.format_map(names)):
                self.take(worker, place, names)
            writer.add(END.format_map(names))
        self.text.phase(worker)

    def begin(self, worker: CudaWorker) -> str:
        """Name the bits, and write where they are."""
        return self.waves(worker)

    def name_sender(self, worker: CudaWorker) -> None:
        """Write who is asked what all the active hold."""
        worker.writer.add(f"src = {VERTICES.queue(worker, 'active')}[0]")

    def lists(self, worker: CudaWorker) -> tuple[str, str]:
        """Name the places of who is open, and of who will be; every pull exchanges them."""
        number, scratch = self.launch.number, worker.writer.scratch
        names = (f"open{number}", f"next_open{number}")
        now, then = (scratch(each, worker.unit.ids, "V") for each in names)
        worker.writer.add(f"if {self.pulls} & 1 != 0: {now}, {then} = {then}, {now}")
        return now, then

    def take(
        self, worker: CudaWorker, place: Place, names: dict[str, str], claims: str = ""
    ) -> None:
        """Write what a receiver does that has heard somebody; where several may, one ``claims``."""
        writer = worker.writer
        self.claim.write_message(worker, place)
        writer.add(f"stays = message == {names['empty']}")
        if not claims:
            writer.add(f"{names['field']}[v] = message\narcs += np.int64(pull_arcs[index])")
        with writer.block(f"if {claims}:" if claims else ""):
            if claims:
                writer.add(f"note_found({names['bits']}, then, {names['place']}, True, False)")
                writer.add("arcs += np.int64(pull_arcs[index])")
            self.claim.received(worker, "v")


INDEX_ARRAYS = (
    *("first_in", "src_of_slot"),
    *("pull_arcs", "pull_head", "pull_order", "pull_place"),
    *("pull_piece_begin", "pull_piece_end", "pull_piece_vertex"),
)

BEGIN = """
    is_first = {pulls} == 1
    hubs = {number}(state[NUM_HUBS])
    lane = np.int32(cuda.laneid)
    held, left, waiting, arcs = np.int32(0), np.int32(0), np.int32(0), np.int64(0)
"""
HUBS = """
    piece = np.int32(me)
    while piece - lane < state[NUM_PIECES]:
        looks = False
        if piece < state[NUM_PIECES]: looks = {field}[pull_piece_vertex[piece]] == {empty}
        waits = lanes_that(looks)
        while waits != 0:
            one = np.int32(piece - lane + 31 - np.int32(cuda.clz(waits)))
            waits = np.uint32(waits ^ np.uint32(np.uint32(1) << np.uint32(one & 31)))
            v, slot = {number}(pull_piece_vertex[one]), {number}(pull_piece_begin[one])
            index = {hub}
            count = np.int32({number}(pull_piece_end[one]) - slot) if lane == 0 else np.int32(0)
            is_active, stays = False, lane == 0
            if hears({bits}, now, pull_place, src_of_slot, slot, count):
                ...
            if stays: {stay_open} = 1
            held = pile_up({piles}, own_pile(0), held, is_active, v, {pending}, state, NUM_PENDING)
        piece = np.int32(piece + threads)
"""
ROWS = """
    size = {number}(state[NUM_VERTICES] if is_first else {open_rows})
    k = {number}(me)
    while k - lane < size or waiting > 0:
        walks = waiting >= 32 or not k - lane < size
        index, asks, is_found, is_word = {number}(0), False, False, False
        if walks:
            taken = min(waiting, np.int32(32))
            waiting = np.int32(waiting - taken)
            asks = lane < taken
            cuda.syncwarp()
            if asks: index = {number}({piles}[np.int32(own_pile(2) + waiting + lane)])
            v, slot, count = {number}(pull_order[index]), {number}(0), np.int32(0)
            if asks:
                slot = {number}(first_in[v])
                count = np.int32({number}(first_in[v + ONE]) - slot)
            is_found = hears({bits}, now, pull_place, src_of_slot, slot, count)
        else:
            is_word = {is_word}
            if k < size: index = {number}(k if is_first else {listed}[k])
            head, v = {number}(pull_head[index]), {number}(pull_order[index])
            asks = k < size and head < {number}({nobody})
            has_asked = lanes_that(asks) != 0
            if asks and is_first: asks = {field}[v] == {empty}
            is_found = asks and bit_at({bits}, now, head) != 0
            k = {number}(k + threads)
            if is_word and state[HAS_ORDER] != 0 and not has_asked:
                k = {number}(size + lane)  # nor has anybody behind them in-arcs
        stays, is_active = asks and not is_found, False
        if not walks: waiting = put_on({piles}, own_pile(2), waiting, stays, index)
        stays = stays and walks
        if is_found:
            ...
        note_found({bits}, then, {place}, is_found, is_word)
        held = pile_up({piles}, own_pile(0), held, is_active, v, {pending}, state, NUM_PENDING)
        left = pile_up({piles}, own_pile(1), left, stays, index, {next_listed}, state, {length})
"""
END = """
    empty_pile({piles}, own_pile(0), held, {pending}, state, NUM_PENDING)
    empty_pile({piles}, own_pile(1), left, {next_listed}, state, {length})
    arcs = total_of(arcs)
    if lane == 0 and arcs > 0: fetch_add(state, PENDING_ARCS, arcs)
    after = np.int32(({pulls} + 2) % 3 * words)
    word = np.int32({own_begin}me)
    while word < {own_end}:
        {bits}[np.int64(after) + word] = 0
        word = np.int32(word + threads)
"""
