"""Messages in lists that are trees while they grow (Mitani, Ino and Hagihara, 2014).

A message goes left or right, by bits of a hash, until it finds a link that leads nowhere. So many
senders to one vertex soon part, and each of m tries some log m links instead of the head that all
others try. A tree is made a list when all is sent, by rotations (Stout and Warren, CACM 29, 1986),
which need no stack.
"""

from __future__ import annotations

from emv.codegen.launch import LaunchText
from emv.codegen.lists import Lists
from emv.codegen.queues import receivers_of
from emv.codegen.worker import Worker
from emv.ir import body as b


class Trees(Lists):
    """Messages hang in trees, which become lists when all are sent."""

    def links(self, worker: Worker, stem: str = "") -> tuple[str, str]:
        """Name the first nodes of vertices, and both children of every node: addresses."""
        scratch = worker.writer.scratch
        return (
            scratch(f"{stem}head{self.base}", "int64", "V", 0),
            scratch(f"{stem}child{self.base}", "int64", self.sized(worker, 2), 0),
        )

    def marker(self, worker: Worker) -> str:
        return self.key(worker) if worker.spare else ""

    def put(self, worker: Worker, stmt: b.Send, values: list[str], how: str) -> None:
        """Write a message to place ``entry``; that it is taken, where it could be left empty."""
        super().put(worker, stmt, values, how)
        if worker.spare and not self.is_ordered:
            worker.writer.add(f"{self.key(worker)}[entry] = 0")

    def behind(self, worker: Worker, node: str) -> str:
        """Return the text of the address behind a node: in a list, that of its second child."""
        return f"{self.links(worker, self.stem)[1]}[2 * {node} + 1]"

    def entries_of_node(self, worker: Worker, stem: str) -> list[str]:
        child, sent = self.links(worker, stem)[1], super().entries_of_node(worker, stem)[:-1]
        return [*sent, f"{child}[2 * entry]", f"{child}[2 * entry + 1]"]

    def insertion(self, worker: Worker, receiver: str) -> str:
        """Return the call that hangs node ``entry`` into a tree, and says if it is the first."""
        head, child = self.links(worker)
        return f"hang(shared, {head}, {child}, {receiver}, entry, origin)"

    def straighten(self, text: LaunchText) -> None:
        """Write the phase that makes lists of trees, as far as they are read along."""
        worker = text.worker("straighten")
        head, child = self.links(worker, self.stem)
        most = worker.most_alone if self.are_shared(text) else "np.int64(1) << 62"
        with worker.ids(receivers_of(worker, self.base), "v", ""):
            worker.writer.add(f"straighten({head}, {child}, v, {self.origin}, {most})")
        text.phase(worker)


class CopiedTrees(Trees):
    """The same with one arena, out of which messages are copied before they are read."""

    is_copied = True
