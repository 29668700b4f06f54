"""What the receivers of a pull make for the next superstep (`emv.passes.follow`), on cores.

Messages are made into a second array, as others still read the first; the loop exchanges the two.
Of what a function returns there is a part for each block of receivers, folded where the function
stands in the loop, so that its result is there when it was, and is the same.
"""

from __future__ import annotations

from emv.codegen.carried import NextMessages
from emv.codegen.cpu.blocks import CpuWorker, Extent, receivers_text
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.folding import ComponentArrays
from emv.codegen.pull import staged
from emv.codegen.writer import Writer
from emv.ir import body as b


class Carried(NextMessages):
    """Writes what the receivers of a launch make, on cores."""

    @property
    def next(self) -> ComponentArrays:
        """Return the arrays of the next superstep's messages."""
        return self.arrays("next_message")

    def begin(self, text: CpuLaunch) -> None:
        """Write the phase that makes what the first superstep begins with."""
        worker = text.worker("begin")
        writer, blocks = worker.writer, worker.writer.graph("in_blocks")
        with worker.blocks(), writer.around(receivers_text(blocks)):
            self.make(worker, staged(self.launch))
        worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_VERTICES]", arrays=(blocks,))
        text.phase(worker)

    def make(self, worker: CpuWorker, messages: ComponentArrays) -> None:
        """Write what is made of vertex ``v``."""

        def put(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            messages.put(worker.writer, "v", values)

        self.send(worker, put)
        before = len(worker.partials)
        self.returned(worker)
        worker.left += worker.partials[before:]

    def fold(self, text: CpuLaunch) -> None:
        """Write the fold of what a joined function returned for all blocks of receivers."""
        launch, writer = text.launch, text.writer
        writer.add(f"num_blocks = len({writer.graph('in_blocks')}) - 1")
        for op, slot in launch.aggregates:
            name = f"{op}_{slot.array}_{slot.index}"
            partial = text.worker("").partial(op, slot, launch.body.result, name)
            writer.take([partial.array])
            text.fold_partials(partial)

    def exchange(self, writer: Writer) -> None:
        """Write that the next messages are those that are read."""
        pairs = zip(staged(self.launch).arrays(writer), self.next.arrays(writer), strict=True)
        for now, after in pairs:
            writer.add(f"{now}, {after} = {after}, {now}")
