"""The text of a `JoinAll` on a GPU: most arcs of one large component are not looked at.

Every vertex joins the ends of two of its arcs, which is most of what there is to join (Afforest:
Sutton, Ben-Nun and Barak, IPDPS 2018). Sets are flattened, and bits say who is in the most frequent
one. Where edges are undirected these are done with: an edge out of that set is seen from its other
end. Directed arcs are all walked; of those between two vertices of that set nothing but the bits is
read, which stay in the cache where the sets of many vertices do not.

Where vertices have few arcs this saves nothing: every edge is walked, as where there are so few
that barriers cost more, and directed ones where all sets stay in the cache.

Parts of a graph do this each with the edges that it was dealt, before they join what the others
joined. An undirected edge stands in the rows of both its ends there, too.
"""

from __future__ import annotations

from emv.codegen.cuda.activated import lay_arc
from emv.codegen.cuda.calls import CudaLaunch
from emv.codegen.cuda.flattening import walk_roots
from emv.codegen.quote import quote
from emv.codegen.sending import one_map
from emv.codegen.state import Own
from emv.codegen.writer import Writer

FIRST = 2  # arcs of each vertex that are joined first
AT_ONCE = 4  # arcs that a lane asks for side by side
DENSE = 4  # arcs a vertex has on average from which some are left out
MANY = 1 << 16  # arcs, likewise
OUT_OF_CACHE = 1 << 22  # vertices from which it is so of a directed graph


class JoinText:
    """Writes the phases of one launch."""

    def __init__(self, text: CudaLaunch) -> None:
        self.text, self.field = text, text.launch.shortcut.field
        self.often, arcs = text.own(Own.OFTEN), "state[NUM_ARCS]"
        dense = f"{arcs} >= {DENSE} * state[NUM_VERTICES] and {arcs} >= {MANY}"
        pays = f"(state[DIRECTED] == 0 or state[NUM_VERTICES] >= {OUT_OF_CACHE})"
        self.is_dense = f"({dense} and {pays})"

    def write(self) -> None:
        """Write all phases.

        Directed arcs are walked by the same text where none is left out.
        """
        text = self.text
        with text.when(self.is_dense):
            self.join_first()
            self.find_often()
            self.mark()
        with text.when(f"{self.is_dense} or state[DIRECTED] != 0", has_else=True):
            self.join_rest()
        with text.otherwise():
            one_map(text, "map", False, None, None)
        text.flatten()

    def group(self, writer: Writer) -> str:
        """Name the column of the sets."""
        return writer.column("vertex", self.field, "int64")

    def words(self, writer: Writer) -> str:
        """Name the most frequent set, as bits."""
        return writer.scratch(f"often{self.text.launch.number}", "uint32", "V/32+1")

    def join_first(self) -> None:
        """Write the walk that joins the first arcs of all vertices."""
        worker = self.text.worker("join_first")
        writer, group = worker.writer, self.group(worker.writer)
        first, other = writer.graph("first_out"), writer.graph("dst_of_arc")
        with worker.ids(None, "v", worker.vertices):
            writer.add(f"""
                arc = np.int64({first}[v])
                end = min(arc + {FIRST}, np.int64({first}[v + ONE]))
            """)
            with writer.block("while arc < end:"):
                writer.add(f"join(shared, {group}, v, {other}[arc])\narc += 1")
        self.text.phase(worker)

    def find_often(self) -> None:
        """Write how a warp finds the most frequent set, in the barrier that comes next."""
        program = self.text.program
        writer = program.writer
        group, other = self.group(writer), writer.graph("dst_of_arc")
        found = f"often_{self.text.launch.number}"
        call = f"{found} = often({group}, {other}, state[NUM_ARCS], lane)"
        program.folds += quote(call, writer.known)
        self.text.serial(f"{self.often} = {found}")

    def mark(self) -> None:
        """Write the walk that flattens sets and makes the bits of the most frequent one.

        A warp makes a word. Bits stay as they are while sets are joined.
        """
        worker = self.text.worker("mark")
        group, words = self.group(worker.writer), self.words(worker.writer)
        writer = worker.writer
        writer.add(f"often, lane = {self.often}, np.int64(cuda.laneid)")
        with walk_roots(worker, group, "k - lane < size") as numbers:
            for k in numbers:
                writer.add(f"""
                    place = k + {k} * stride
                    is_in = place < size and root_{k} == often
                    word = np.uint32(cuda.ballot_sync(ALL, is_in))
                    if lane == 0 and place < size: {words}[place >> 5] = word
                """)
        self.text.phase(worker)

    def join_rest(self) -> None:
        """Write the walk over the arcs of those outside the set, or over all directed ones.

        Where there is no such set, as nothing was joined before, no bits are read.
        """
        worker = self.text.worker("join_rest")
        writer, group, words = worker.writer, self.group(worker.writer), self.words(worker.writer)
        writer.add(f"""
            is_directed = state[DIRECTED] != 0
            leaves_out = is_directed and {self.is_dense}
        """)
        worker.row_test = f"is_directed or not has_bit({words}, row_src)"
        other = writer.graph("dst_of_arc")
        with worker.rows(None), writer.block("while done < total:"):
            for k in range(AT_ONCE):
                lay_arc(worker, k, f"_{k}")
                writer.add(f"dst_{k} = {other}[arc_{k} if place_{k} < total else 0]")
            writer.add("waiting = np.int32(0)")
            for k in range(AT_ONCE):
                in_set = f"has_bit({words}, dst_{k}) and has_bit({words}, src_{k})"
                differs = f"place_{k} < total and not (leaves_out and {in_set})"
                writer.add(f"if {differs}: waiting |= np.int32({1 << k})")
            with writer.block("while waiting != 0:"):
                writer.add("at = cuda.ffs(waiting) - 1")
                writer.add("waiting = np.int32(waiting & (waiting - 1))")
                for end in ("src", "dst"):
                    writer.add(f"{end} = {end}_0")
                    for k in range(1, AT_ONCE):
                        writer.add(f"if at == {k}: {end} = {end}_{k}")
                writer.add(f"join(shared, {group}, src, dst)")
            writer.add(f"done = np.int32(done + ({32 * AT_ONCE} << crew))")
        self.text.phase(worker)
