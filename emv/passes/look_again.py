"""Find what may look again in a sweep on a GPU, with no barrier between it and what it waits for.

An element, or the receiver of a pull, that votes only for itself need not wait for the whole grid:
as soon as the one it waits for has written, its next look sees it.

Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

import dataclasses

from emv.ir import schedule as s
from emv.passes.around import Around, by_launch
from emv.passes.flag_activations import activations

OWN = "it sends nothing and votes for its own element alone, which may look again at once"
AGAIN = "a receiver is done with one day, and only votes until then: it may look again at once"
LOOKING = ("vertex", "elist")  # kinds of functions whose elements may look again
WAITING = {"activate", "keep_going", "find"}  # all that these may do besides reading and writing


@by_launch
def look_again(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if its elements or receivers may look again."""
    if around.setting.target != "cuda" or not launch.in_place:
        return launch
    if _elements(launch):
        return dataclasses.replace(launch, again="elements", reasons=(*launch.reasons, OWN))
    if _receivers(launch):
        return dataclasses.replace(launch, again="receivers", reasons=(*launch.reasons, AGAIN))
    return launch


def _elements(launch: s.Launch) -> bool:
    """Return whether a function sends nothing and votes for its own element alone."""
    if launch.direction != "none" or launch.send.kind not in LOOKING:
        return False
    if launch.returned is not None or launch.aggregates:
        return False
    acts = launch.send.effects.acts
    own = all(each.element.role == "own" for each in activations(launch.send, "vertex"))
    return own and bool(acts & {"activate", "keep_going"}) and acts <= WAITING


def _receivers(launch: s.Launch) -> bool:
    """Return whether receivers that hear along kept arcs change themselves and vote until done."""
    receive = launch.receive
    if receive is None or not (launch.kept and launch.settles):
        return False
    if receive.returned is not None or receive.aggregates:
        return False
    acts = receive.function.effects.acts
    return "keep_going" in acts and acts <= {"keep_going", "find"}
