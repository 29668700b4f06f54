"""What a loop of sweeps may do, so that its end does not depend on who writes when.

In ``for _ in g.sweeps()`` a call sees of other elements what was there before the sweep or what was
written in it, whichever comes first. Whether all orders end the same is for the program to know; a
rule that settles it: every element waits for those that go before it in one order of all, and then
takes a value that follows from theirs. What can be seen from the text to break that is refused.

Chazan, Miranker: Chaotic relaxation, Linear Algebra and its Applications 2, 1969.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emv.errors import EndlessLoopError, LanguageError, Loc
from emv.lang.changing import refuse_changes
from emv.lang.effects import MASK_WORDS


def check_sweep(functions: Sequence[Any], loc: Loc) -> None:
    """Refuse functions whose sweeps would depend on who writes when, whatever they compute."""
    for function in functions:
        changed = {each.field for each in function.effects.writes if each.op in MASK_WORDS}
        if "random" in function.effects.acts:
            raise LanguageError(
                f"{function.name}() draws in a sweep, where nobody counts how often it runs",
                loc,
                "Draw before the loop and keep what was drawn in a field.",
            )
        refuse_changes(
            function,
            "in a sweep, where nobody waits for the others",
            "Loop over g.supersteps().",
            loc,
        )
        if changed:
            raise LanguageError(
                f"{function.name}() changes the mask {min(changed)} in a sweep",
                loc,
                "A mask is as it was before a call: keep a field of numbers instead.",
            )
    written = {(each.kind, each.field) for f in functions for each in f.effects.writes}
    read = {
        (each.kind, each.field)
        for function in functions
        for each in function.effects.reads
        if each.where not in ("own", "link")
    }
    both = sorted(name for _, name in read & written)
    if len(both) > 1:
        raise LanguageError(
            f"in these sweeps {' and '.join(both)} of other elements are read while they change",
            loc,
            "One of them may be new and another old: put what others must see into one field.",
        )


def stuck(active: int, loc: Loc) -> EndlessLoopError:
    """Return the error for sweeps that change nothing any more and are not over."""
    who = f"{active} vertices wait" if active else "somebody waits"
    return EndlessLoopError(
        f"these sweeps never end: the last changed nothing, and {who} for another",
        loc,
        "Let each wait for those alone that go before it in one order of all, such as by rank and "
        "then by id.",
    )
