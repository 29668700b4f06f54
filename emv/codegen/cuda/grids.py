"""A program on several GPUs in one loop without the host: one kernel a GPU, which meet inside.

The kernel is that of one GPU, in which a part runs its own elements. Behind each launch one warp
meets the other parts, in the barrier that is there (`emv.codegen.cuda.meetings`), so that the same
serial lines go on with the same everywhere. Then whoever owns rows that others read, and vertices
that were activated, stores them there (`emv.codegen.cuda.telling`), and a second meeting says that
all is there. Before the first one a peer may still be reading its replicas; so there are two.

Where sources compute their messages in a phase of their own, nobody reads replicas behind it. Then
the first meeting stands there, in a barrier that is there anyhow, and receivers hand their rows on
as soon as they have changed them, while others still fold. A meeting in which parts only say what
they have counted waits for the next barrier that something else needs.

What is handed on, and which programs run so, says `emv.passes.meet`.
"""

from __future__ import annotations

from functools import partial

from emv.codegen.cuda.applied import Applied
from emv.codegen.cuda.claim_bits import ClaimBitsText
from emv.codegen.cuda.claiming import CudaClaim
from emv.codegen.cuda.grids_program import GridsProgram
from emv.codegen.cuda.joint_bits import JointBits, PlacedBits
from emv.codegen.cuda.joint_messages import JointMessages
from emv.codegen.cuda.joint_pulls import JointPull
from emv.codegen.cuda.kernel import CudaModule
from emv.codegen.cuda.meetings import Meeting, of_launch
from emv.codegen.cuda.open_pulls import OpenPull
from emv.codegen.cuda.program import Waiting
from emv.codegen.cuda.relaxing import RelaxText
from emv.codegen.cuda.telling import Telling, readers_of
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.effects import EVERYTHING, access_of
from emv.codegen.expressions import ExpressionText
from emv.codegen.folding import array_dtype
from emv.codegen.loops import Slots
from emv.codegen.place import Place
from emv.codegen.queues import VERTICES, ActiveSet, front_of
from emv.codegen.sending import SEND, place_of
from emv.codegen.state import NEAREST, Own
from emv.codegen.worker import Worker
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.passes.divide import is_dealt
from emv.passes.follow import carried
from emv.passes.meet import (
    finds_held,
    handed_behind,
    handed_by,
    held_behind,
    held_by,
    is_held_told,
    is_mapped,
    is_through,
    is_told,
    joined_apart,
    key_of,
)
from emv.passes.needs import Right
from emv.passes.settle_loops import activations


class CudaGrids(CudaModule):
    """Writes the module of one schedule for so many parts."""

    def __init__(self, schedule: s.Schedule, slots: Slots, ids: str, parts: int) -> None:
        super().__init__(schedule, slots, ids)
        shrinks = any(each.shrinks for each in s.loops_in(schedule.body))
        self.program = self.grids = GridsProgram(self.unit.buffers, parts, shrinks)
        self.parts = parts
        self.constants["PARTS"] = str(parts)
        self.unit.own_arcs = schedule.sliced and not is_dealt(schedule)
        self.telling = Telling(self.unit, self.program, parts)
        self.unit.joint = self.telling.joint
        self.unit.owned_bits = partial(readers_of, parts=parts)
        launches = s.launches_in(schedule.body)
        self.has_claims = any(isinstance(each.shortcut, s.Claim) for each in launches)
        self.carried: JointMessages | None = None  # of the loop that is being written

    def applied(self, launch: s.Launch) -> Applied:
        made = GridApplied(self.unit, launch, self.program)
        made.carried = self.carried if launch.follows and launch.staged else None
        return made

    def turned_text(self, members: ActiveSet) -> str:
        text = super().turned_text(members)
        if members != VERTICES:
            return text
        return f"{text}\n{self.telling.turn(self.program.writer)}"

    def launch(self, launch: s.Launch) -> None:
        """Write a launch, and behind it what parts tell each other.

        Whom they activate they need not tell: others read it where it lies.
        """
        handed, name = handed_by(self.schedule, launch), f"{launch.name}_{launch.number}"
        made = self.carried if launch.follows and launch.staged else None
        if self.carried is not None and launch.follows and made is None:
            for line in self.carried.settle(self.program.writer, launch):
                self.program.serial(line)
            return
        through = self.goes_through(launch, handed)
        if self.schedule.sorted_queues and launch.domain.kind == "active":
            self.telling.gather(f"{name}_gather")
        super().launch(launch)
        self.grids.staged = None
        joined = joined_apart(launch)
        for field in joined:
            self.join(launch, field)
        activates = any(activations(each, "vertex") for each in s.functions_of(launch))
        meeting = of_launch(self.unit, launch, self.parts, activates)
        if activates and self.has_claims and not finds_held(self.schedule, launch):
            self.say_front(meeting, held_behind(self.schedule, launch))
        if made is not None:
            made.fold(meeting)
            self.program.serial(f"{made.flipped} = 1 - {made.flipped}")
        number, waits = launch.number, bool(handed or activates or joined or made)
        self.meet(f"meet_{number}", meeting, waits)
        if through or not handed:
            return
        self.program.flush()
        if activates and is_told(self.schedule, launch):
            self.telling.tell(f"{name}_tell", "pending", handed)
        else:
            self.telling.hand_on(f"{name}_hand_on", handed)
        self.meet(f"meet_again_{number}", Meeting(self.unit, number, self.parts))

    def plain_loop(self, loop: s.LoopStep, waiting: Waiting) -> None:
        """Write a loop, and before it the messages that it begins with, if it makes more of them.

        All parts make all of these, and meet where something is summed up beside them.
        """
        made = carried(loop)
        if not made:
            self.supersteps(loop, waiting)
            return
        [(launch, joined)] = made  # `emv.passes.follow` takes no more of parts
        self.carried = JointMessages(self.unit, launch, joined, self.parts)
        self.unit.makes[launch.number] = self.carried.make
        self.unit.placed[launch.number] = self.carried.placed
        self.program.go_on(waiting)
        with self.program.writer.block("if resuming == 0:"):
            name = f"{launch.name}_{launch.number}"
            self.program.run(self.carried.begin(name))
            self.carried.fill(self.program, name)
            if joined:
                meeting = Meeting(self.unit, launch.number, self.parts)
                self.carried.fold(meeting)
                self.meet(f"meet_begin_{launch.number}", meeting)
        self.supersteps(loop, self.program.hold())
        self.carried = None

    def behind(self, loop: s.LoopStep) -> None:
        if self.carried is not None:
            self.carried.put_back(self.program, f"loop_{loop.number}")
        super().behind(loop)

    def say_front(self, meeting: Meeting, held: str) -> None:
        """Let a meeting say whom each part activated first, and what it holds where that counts."""
        writer = meeting.writer
        queues = (
            writer.scratch(each, self.unit.ids, VERTICES.size) for each in ("active", "pending")
        )
        front = meeting.say_front(*queues)
        if held:
            kind, field = key_of(self.schedule, held)
            dtype = self.schedule.program.fields[kind, field].dtype.name
            meeting.say_held(front, self.telling.column(writer, held), dtype)

    def join(self, launch: s.Launch, field: str) -> None:
        """Write how sets that each part has joined become those of all."""
        name = f"{launch.name}_{launch.number}_{field}"
        self.telling.keep_sets(name, field)
        self.meet(f"{name}_met", Meeting(self.unit, launch.number, self.parts))
        self.program.flush()
        self.telling.join_sets(name, field)

    def goes_through(self, launch: s.Launch, handed: dict[str, Right]) -> bool:
        """Let elements hand on their rows themselves where that is allowed; return whether it is.

        A meeting must come before, behind all that reads replicas.
        """
        if handed and is_through(launch, handed):
            self.grids.staged = partial(self.meet_staged, launch)
        elif handed and self.grids.meets and is_mapped(self.schedule, launch, handed):
            self.program.access = EVERYTHING  # so that it begins behind the meeting that waits
        else:
            return False
        self.unit.through[launch.number] = partial(self.telling.rows, handed=handed)
        return True

    def meet_staged(self, launch: s.Launch) -> None:
        """Write that nobody reads replicas any more, in a meeting that waits there, or its own."""
        if self.grids.meets:
            self.program.access = EVERYTHING
        else:
            meeting = Meeting(self.unit, launch.number, self.parts)
            self.meet(f"meet_staged_{launch.number}", meeting)

    def meet(self, name: str, meeting: Meeting, waits: bool = True) -> None:
        """Write a meeting, in the barrier that comes next.

        What is written later waits for it, or else only what needs to know what is said there.
        """
        writer = meeting.written()
        self.grids.meetings[name] = access_of(writer.body)
        self.unit.finish(name, "@control", ("lane",), writer)
        self.program.control(self.unit.call(name, n.Name("lane")), shrinks=False)
        if waits:
            self.program.access = EVERYTHING

    def loop(self, loop: s.LoopStep) -> None:
        """Write a loop, and behind one by bits how what it claimed is handed on."""
        super().loop(loop)
        for launch in loop.body:
            if not (isinstance(launch, s.Launch) and isinstance(launch.shortcut, s.ClaimBits)):
                continue
            handed = handed_behind(self.schedule, launch)
            if not handed:
                continue
            with self.program.writer.block("if resuming == 0:"):
                self.telling.hand_on(f"{launch.name}_{launch.number}_hand_on", handed)
                number = launch.number
                self.meet(f"meet_behind_{number}", Meeting(self.unit, number, self.parts))
                self.program.flush()

    def relaxation(self, loop: s.LoopStep, launch: s.Launch) -> RelaxText:
        return GridRelax(self, loop, launch)

    def claim_bits(self, loop: s.LoopStep, launch: s.Launch) -> ClaimBitsText:
        made = PlacedBits if launch.shortcut.placed else JointBits
        return made(self.unit, loop, launch, self.grids, self.meet)


class GridApplied(Applied):
    """A launch of which a part runs its own elements."""

    carried: JointMessages | None = None  # what its receivers make

    def flatten(self) -> None:
        """Leave sets as they are: they are flattened where they are kept for others."""
        if not joined_apart(self.launch):
            super().flatten()

    def worker(self, phase: str) -> CudaWorker:
        worker = super().worker(phase)
        if phase == "pull" and self.carried is not None:
            self.carried.turn(worker)
        return worker

    def open_pull(self, claim: CudaClaim) -> OpenPull:
        assert isinstance(self.program, GridsProgram)
        return JointPull(claim, self.program.parts)

    def claim(self) -> None:
        made = GridClaim if held_by(self.launch) else CudaClaim
        made(self).write()


class GridClaim(CudaClaim):
    """Writes a claim whose senders are not asked: what all the active hold stands in a word."""

    def remember(self) -> None:
        """Write what the first of the active holds; see `emv.passes.meet.held_by`."""
        if is_held_told(self.text.unit.schedule, held_by(self.launch)):
            self.text.serial(f"{self.text.own(Own.HELD)} = state[ALL_HOLD]")
            return
        array, front = self.column(self.text.writer), front_of(self.text)
        self.text.serial(f"""
            if state[NUM_ACTIVE] > 0:
                front = {front}
                {self.text.own(Own.HELD)} = np.int64({array}[front])
        """)

    def begin(self, worker: Worker) -> None:
        worker.scalar_arguments(self.launch.send, self.launch.args, SEND)
        writer = worker.writer
        writer.add(f"all_hold = np.{array_dtype(self.kind)}({self.text.own(Own.HELD)})")
        if finds_held(worker.unit.schedule, self.launch):
            place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
            self.ask_sender(worker, place)
            found = self.taken(ExpressionText(writer, place, self.launch.send.name))
            writer.add(f"if me == 0: state[NEXT_HELD] = np.int64({found})")

    def ask_sender(self, worker: Worker, place: Place) -> None:
        place.hoisted["src", self.claim.field] = "all_hold"


class GridRelax(RelaxText):
    """Writes the loop of a `Relax` in which each part has the far piles of its own vertices."""

    def __init__(self, module: CudaGrids, loop: s.LoopStep, launch: s.Launch) -> None:
        super().__init__(module.unit, loop, launch, module.program)
        self.module = module
        self.far_of_all = self.own(Own.FAR_OF_ALL)

    def worker(self, phase: str) -> CudaWorker:
        """Return a work function; what others' senders have is told while it is under way."""
        worker = super().worker(phase)
        if phase == "round":
            worker.fresh = {("vertex", self.launch.shortcut.field): False}
            worker.first_look = "True"
        return worker

    def share(self, word: str) -> None:
        """Write how all parts learn whom each has queued, and what those have now.

        That is stored while others may still relax: what they find of a sender is a length of a
        path, and whoever was lowered is queued, and walked once all is there.
        """
        unit, parts, number = self.unit, self.module.parts, self.launch.number
        handed = handed_by(unit.schedule, self.launch)
        self.module.telling.tell(f"{self.name}_tell_{word}", word, handed, meanwhile=True)
        meeting, is_round = Meeting(unit, number, parts), word == "pending"
        meeting.vote()
        meeting.count_queue(word.upper())
        far = self.own(Own.FAR if is_round else Own.FAR_KEPT)
        meeting.fold("total", self.far_of_all, far)
        nearest = f"{self.near_far(meeting.writer)}[{NEAREST}]"
        meeting.fold("smallest", nearest, nearest, is_float=True)
        self.module.meet(f"{self.name}_meet_{word}", meeting)

    def turn(self, word: str) -> None:
        """Write that those whom all parts have queued are near now."""
        super().turn(word)
        self.serial(self.module.telling.turn(self.writer))
