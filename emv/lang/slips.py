"""Errors for words that are not there: of messages, of domains, of graphs outside programs."""

from __future__ import annotations

import sys
from types import FrameType

from emv.errors import FieldError, LanguageError, Loc, did_you_mean
from emv.lang.source import caller_loc
from emv.tracebacks import instruction_loc

UNDECORATED = (
    "If this is the text of a function on vertices or edges, it lacks its decorator: @vertex, "
    "@edge."
)
PROGRAMS = ("active", "active_edges", "only", "supersteps", "sweeps")
"""Words that the ``g`` of a program has, and a graph has not."""


class Spot:
    """A running instruction, of which it is only told where it stands if that is asked."""

    def __init__(self, frame: FrameType) -> None:
        self.at = frame.f_code, frame.f_lasti, frame.f_lineno

    @property
    def loc(self) -> Loc:
        """Return where it stands."""
        return instruction_loc(*self.at)


def caller_spot() -> Spot:
    """Return the instruction that called the caller of this."""
    return Spot(sys._getframe(2))


def no_such_word(name: str, holder: object) -> FieldError:
    """Return the error for an attribute that messages or values per vertex lack."""
    known = [each for each in ("receivers",) if hasattr(type(holder), each)]
    return FieldError(
        f"messages and values per vertex have no {name!r}",
        caller_loc(2),
        "They are folded, emv.sum(messages), or given to a function as a parameter; "
        "messages.receivers is who got any." + did_you_mean(name, known),
    )


def not_looped() -> LanguageError:
    """Return the error for a loop of Python's over vertices or edges."""
    return LanguageError(
        "a program does not loop over vertices or edges",
        caller_loc(2),
        "Say in a @vertex or @edge function what happens at one of them, and apply it to all: "
        "f(g), f(g.active), f(g.edges).",
    )


def outside_a_program(name: str) -> FieldError:
    """Return the error for a word of programs that is asked of a graph."""
    loc = caller_loc(2)
    return FieldError(
        f"a Graph has no {name!r}, which is a word of programs",
        loc,
        "Write @program above the def, and call it with the graph."
        if loc.function == "<module>"
        else f"Write @program above {loc.function}().",
    )
