"""The text of a `JoinAll` on cores: most edges of one large component are not looked at.

Every vertex joins the ends of two of its arcs, which is most of what there is to join (Afforest:
Sutton, Ben-Nun and Barak, IPDPS 2018). Then who is in the most frequent set is done with: an edge
from outside is seen from its other end, and one inside joins nothing. In a directed graph it is
seen from there if an earlier run has built the index of receivers. For this alone it is not built:
then all arcs are walked, and a bit says of the other end whether it is in that set, too. Where
vertices have few arcs this saves nothing: every edge is walked.
"""

from __future__ import annotations

from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.sending import one_map
from emv.codegen.state import Own
from emv.codegen.unit import Part
from emv.codegen.worker import Worker

FIRST = 2  # arcs of each vertex that are joined first
AHEAD = 16  # vertices ahead for whose first arcs' ends is asked
BY_SENDER = ("first_out", "dst_of_arc")
BY_RECEIVER = ("built_first_in", "built_src_of_slot")
DENSE = 8  # arcs a vertex has on average from which some are left out


class JoinText:
    """Writes the phases of one launch."""

    def __init__(self, text: CpuLaunch) -> None:
        self.text, self.field = text, text.launch.shortcut.field

    def write(self) -> None:
        """Write all phases."""
        text = self.text
        dense = f"state[NUM_ARCS] >= {DENSE} * state[NUM_VERTICES]"
        with text.when(dense, has_else=True):
            self.join_first()
            text.flatten()
            group = self.group(text.worker(""))
            text.writer.take([group])
            text.serial(f"{text.own(Own.OFTEN)} = often({group})")
            built = text.writer.graph("built_first_in")
            with text.when(f"state[DIRECTED] != 0 and len({built}) == 0", has_else=True):
                self.mark()
                self.join_across()
            with text.otherwise():
                self.join_rest()
        with text.otherwise():
            with text.when("state[DIRECTED] != 0", has_else=True):
                one_map(text, "map_arcs", True, None, None)
            with text.otherwise():
                one_map(text, "map", False, None, None)
        text.flatten()

    def group(self, worker: Worker) -> str:
        """Name the column of the sets."""
        return worker.writer.column("vertex", self.field, "int64")

    def join_first(self) -> None:
        """Write the walk that joins the first arcs of all vertices.

        Each waits for the set of its other end, and behind a wrong guess of whether they are one
        set already, nothing is begun.
        """
        worker = self.text.worker("join_first")
        writer, group = worker.writer, self.group(worker)
        first, other = writer.graph("first_out"), writer.graph("dst_of_arc")
        writer.add("last = np.uint64(state[NUM_ARCS] - 1)")
        with worker.ids(None, "v", "state[NUM_VERTICES]"):
            writer.add(f"later = np.uint64({first}[min(v + {AHEAD}, high - 1)])")
            for k in range(FIRST):
                writer.add(f"ask_ahead({group}, {other}[min(later + np.uint64({k}), last)])")
            self.join(worker, "begin", f"min(begin + np.uint64({FIRST}), end)")
        self.text.phase(worker)

    def join_rest(self) -> None:
        """Write the walk that joins all other arcs of those outside the most frequent set."""
        worker = self.text.worker("join_rest")
        worker.writer.add(f"often = {self.text.own(Own.OFTEN)}")
        is_outside = f"if {self.group(worker)}[v] != often:"
        with worker.ids(None, "v", "state[NUM_VERTICES]"), worker.writer.block(is_outside):
            self.join(worker, f"begin + np.uint64({FIRST})", "end")
            with worker.writer.block("if state[DIRECTED] != 0:"):
                self.join(worker, "begin", "end", BY_RECEIVER)
        self.text.phase(worker)

    def words(self, part: Part) -> str:
        """Name the most frequent set, as bits."""
        return part.writer.scratch(f"often{self.text.launch.number}", "uint64", "V/64+1")

    def mark(self) -> None:
        """Write the walk that makes the most frequent set."""
        self.text.serial(f"clear_words({self.words(self.text)})")
        worker = self.text.worker("mark")
        worker.writer.add(f"often = {self.text.own(Own.OFTEN)}")
        is_in = f"if {self.group(worker)}[v] == often:"
        with worker.ids(None, "v", "state[NUM_VERTICES]"), worker.writer.block(is_in):
            worker.collect(self.words(worker), "v")
        self.text.phase(worker)

    def join_across(self) -> None:
        """Write the walk that joins the ends of all arcs but those inside the most frequent set."""
        worker = self.text.worker("join_across")
        writer, words, group = worker.writer, self.words(worker), self.group(worker)

        def per_row() -> None:
            writer.add(f"is_in = has_bit({words}, src)")

        with worker.arcs(None, per_row):
            writer.add(f"""
                if not (is_in and has_bit({words}, dst)):
                    join(shared, {group}, src, dst)
            """)
        self.text.phase(worker)

    def join(self, worker: Worker, begin: str, end: str, rows: tuple[str, str] = BY_SENDER) -> None:
        """Write the joins of some arcs of vertex ``v``."""
        writer, group = worker.writer, self.group(worker)
        first, other = map(writer.graph, rows)
        writer.add(f"""
            begin = np.uint64({first}[v])
            end = np.uint64({first}[v + 1])
            for arc in range({begin}, {end}):
                join(shared, {group}, v, {other}[arc])
        """)
