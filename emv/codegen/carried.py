"""What the receivers of a pull make for the next superstep (`emv.passes.follow`).

Messages are made into a second array, as others still read the first. How cores and parts that meet
take turns with both, and fold what functions return, is theirs (`emv.codegen.cpu.carried`,
`emv.codegen.cuda.joint_messages`).
"""

from __future__ import annotations

from collections.abc import Callable

from emv.codegen.folding import ComponentArrays
from emv.codegen.sending import paste
from emv.codegen.worker import Worker
from emv.ir import body as b
from emv.ir import schedule as s

NEXT = "n"  # what the bodies' own names begin with
Put = Callable[[b.Send, list[str], str, str], None]


class NextMessages:
    """Writes what the receivers of a launch make.

    Parameters
    ----------
    launch : Launch
        The pull.
    joined : list of Launch
        The functions that its receivers run besides, which return something.
    """

    def __init__(self, launch: s.Launch, joined: list[s.Launch]) -> None:
        self.launch, self.joined = launch, joined

    def arrays(self, stem: str) -> ComponentArrays:
        """Return the arrays of messages, ``message`` or ``next_message``."""
        kinds = s.component_types(self.launch.body.message)
        return ComponentArrays.of(f"{stem}{self.launch.number}", kinds, "V")

    def send(self, worker: Worker, put: Put) -> None:
        """Write the function that sends, of vertex ``v``."""
        place = worker.place(f"{NEXT}_", {"src": "v", "dst": ""}, {}, on_send=put)
        paste(worker, place, self.launch.send, self.launch.body)

    def returned(self, worker: Worker) -> None:
        """Write what else is made of ``v``."""
        for each in self.joined:
            prefix = f"{NEXT}{each.number}_"
            paste(worker, worker.place(prefix, {"own": "v"}, {}), each.send, each.body)
            worker.returned(prefix, each.body.result, each.aggregates, None, "v")
