"""What programs may do with active sets and with loops, said in the same words on every backend."""

from __future__ import annotations

from emv.errors import LanguageError, Loc, TraceError

ACTIVE = ("active", "active_edges")  # the domains that are other sets at other times


def set_is_over(domain: str, function: str, loc: Loc) -> LanguageError:
    """Return the error for using an active set when another may have taken its place."""
    return LanguageError(
        f"this {domain} was asked for before {function}() could activate, and is another set now",
        loc,
        f"Write {domain} where the set is used. To keep a set, declare a Mask: v.mine.set() in a "
        "function on the set, and f(g.vertices.mine) later.",
    )


def no_superstep(loc: Loc, is_sure: bool = True) -> LanguageError:
    """Return the error for using what a loop gives that runs no superstep, or may run none."""
    return LanguageError(
        f"this loop {'runs' if is_sure else 'may run'} no superstep, and what it gives is used "
        "behind it",
        loc,
        "Give the variable a value before the loop, or the loop a limit of at least 1.",
    )


def left_early(loc: Loc) -> TraceError:
    """Return the error for a loop of supersteps that is left by Python."""
    return TraceError(
        "a superstep loop is left early",
        loc,
        "break and return inside the loop cannot be traced: vote with emv.halt(), use until=, or "
        "write @program(host_loop=True).",
    )
