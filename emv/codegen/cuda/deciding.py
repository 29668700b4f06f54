"""Supersteps behind which every block decides for itself (`passes.lay_apart`).

    if <few are active, of short rows>:
        <copy the shared state>
        while <that holds, and the same blocks work>:
            <the walk>
            <meet; add up what was counted; finish the superstep, on the own copy>
        <copy it back; meet as ever>
        continue

The function that finishes a superstep is the loop's own, called for the copy. What the walk counts,
it counts in one of three arrays like the state, by turns.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.claiming import CudaClaim
from emv.codegen.cuda.control import LoopControl
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.effects import access_of
from emv.codegen.state import Own, own_text, place_of_launch
from emv.ir import nodes as n
from emv.ir import schedule as s

TURNS = ("counts_1", "counts_2", "counts_3")
FEW = "{0}[NUM_ACTIVE] < {0}[MOST_APART]"  # which is 0 where rows may be long
ADDED = ("NUM_PENDING", "PENDING_ARCS")  # what a walk may count, besides what is its launch's own


class DecidingText:
    """Writes the supersteps of a loop of one claim that go so.

    Attributes
    ----------
    worker : CudaWorker
        The walk.
    counted : list of str
        The places of the state in which it counts; nothing is in them when it begins.
    """

    def __init__(self, program: ProgramText, claim: CudaClaim) -> None:
        self.program, self.launch = program, claim.launch
        self.schedule = claim.text.unit.schedule
        self.worker: CudaWorker = claim.apart()
        effects = access_of(self.worker.writer.body).effects
        self.counted = sorted(e.place for e in effects if e.array == "state" and e.writes)
        own = str(place_of_launch(self.launch.number, Own.NEXT_HOLDS))
        assert {*self.counted} <= {*ADDED, own}, self.counted
        self.worker.finish()

    @property
    def pulls(self) -> bool:
        """Return whether supersteps may pull instead."""
        return self.launch.direction == "either"

    def condition(self, state: str) -> str:
        """Return the condition under which a superstep goes so."""
        few = FEW.format(state)
        return f"{few} and {state}[PULLING] == 0" if self.pulls else few

    def seen(self) -> dict[str, n.Node]:
        """Return what the head of the loop reads for that, by the name it has then."""
        places = ["NUM_ACTIVE", "MOST_APART", *["PULLING"] * self.pulls]
        return {f"seen_{e.lower()}": self.program.writer.node(f"state[{e}]") for e in places}

    def write(self, loop: s.LoopStep, control: LoopControl) -> None:
        """Write them; all blocks that work are here, and know that the loop goes on."""
        writer = self.program.writer
        for name in TURNS:
            writer.scratch(name, "int64", str(self.size), 0)
        few = "seen_num_active < seen_most_apart"
        with writer.block(f"if {few} and seen_pulling == 0:" if self.pulls else f"if {few}:"):
            writer.add(f"""
                take_copy(own, {self.size}, state, ARRIVED)
                take_copy(own_ints, {self.num_ints}, ints, {self.num_ints})
                cuda.syncthreads()
                now, then, after = {", ".join(TURNS)}
                met = np.int64(0)
            """)
            running = own_text(loop.number, Own.RUNNING).replace("state", "own")
            same = f"{running} == 1 and own[ALONE] == alone"
            with writer.block(f"while {same} and {self.condition('own')}:"):
                self.write_superstep(control)
            self.leave()

    @property
    def size(self) -> int:
        """Return how many places of the state there are."""
        steps = self.schedule.body
        numbers = [each.number for each in s.launches_in(steps)]
        numbers += [each.number for each in s.loops_in(steps)]
        return place_of_launch(2 + max(numbers))

    @property
    def own_copies(self) -> tuple[str, str]:
        """Return what sets aside the block's own copies."""
        sizes = {"own": self.size, "own_ints": self.num_ints}
        one, two = (f"{name} = cuda.shared.array({size}, PLACE)" for name, size in sizes.items())
        return one, two

    @property
    def num_ints(self) -> int:
        """Return how many scalars are whole numbers."""
        return int(self.schedule.num_slots["ints"]) + 1

    def write_superstep(self, control: LoopControl) -> None:
        """Write one of them."""
        writer = self.program.writer
        writer.add("left = load_now(state, BUDGET) if me == 0 else 1  # the host may take it away")
        writer.put([n.Do(self.of_own(self.worker.call(), "now"))])
        empty = "\n".join(f"then[{place}] = 0" for place in (*self.counted, "BUDGET"))
        writer.add("met += blocks\ncuda.syncthreads()")
        with writer.block("if cuda.threadIdx.x == 0:"):
            with writer.block("if cuda.blockIdx.x == 0:"):
                writer.add(f"{empty}\nif left <= 0: now[BUDGET] = 1")
            writer.add("meet_all(state, blocks, met)")
            for place in self.counted:
                writer.add(f"own[{place}] += load_now(now, {place})")
            writer.add("if load_now(now, BUDGET) != 0: own[BUDGET] = 0")
            writer.put([n.Do(self.of_own(control.call("finish"), "own"))])
        writer.add("now, then, after = then, after, now\ncuda.syncthreads()")

    def of_own(self, call: Any, state: str) -> Any:
        """Return a call that is told the places of the own copy, and another array as the state."""
        names = {"state": state, "ints": "own_ints"}

        def change(node: Any) -> Any:
            match node:
                case n.Item(n.Array(buffer), index) if buffer.name == "state":
                    return n.Item(n.Name("own"), index)
                case n.Array(buffer) if buffer.name in names:
                    return n.Name(names[buffer.name])
            return node

        self.program.writer.take(e.name for e in call.parts if isinstance(e, n.Array))
        return n.rebuilt(call, change)

    def leave(self) -> None:
        """Write how all go on as ever."""
        writer = self.program.writer
        writer.add(f"""
            give_copy(own, {self.size}, state, ARRIVED)
            give_copy(own_ints, {self.num_ints}, ints, {self.num_ints})
            lane = arrive(state, blocks)
        """)
        with writer.block("if lane == 0:"):
            writer.add("state[MET_APART] = 0")
            for name in TURNS:
                for place in (*self.counted, "BUDGET"):
                    writer.add(f"{name}[{place}] = 0")
            writer.add("release_some(state, blocks, generation, own[ALONE])")
        writer.add("generation = wait(state, blocks, generation)\ncontinue")
