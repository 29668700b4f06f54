"""Decide how messages travel: pushed by the active, pulled by the receivers, or kept in between.

Pull folds in registers and in one fixed order, but reads every in-arc; push touches only the arcs
of the active, but needs an atomic for each message. Where both are possible and the domain varies,
the choice is made anew in every superstep (Beamer, Asanovic and Patterson, SC 2012).
"""

from __future__ import annotations

from emv.config import config
from emv.ir import body as b
from emv.ir.schedule import Fold, Launch, component_types
from emv.lang.promote import SMALL
from emv.passes.around import Around, by_launch
from emv.passes.sends import why_no_slots

ATOMIC = ("sum", "prod", "min", "max", "any", "all", "bitwise_or")


@by_launch
def choose_direction(launch: Launch, around: Around) -> Launch:
    """Return the launch with its direction and the reasons."""
    is_taken = launch.folds or launch.receivers or launch.receive or launch.store
    if not is_taken and launch.send.kind != "message":
        return launch
    if launch.store or launch.send.kind == "message":
        return _with(launch, "store", "messages are wanted one by one")
    if launch.buffer not in ("", "fused", "accumulators"):
        return _with(launch, "store", "messages are kept one by one, as the caller asks")
    return _choose(launch)


def can_be_pulled(launch: Launch) -> bool:
    """Return whether receivers could compute what they are sent, arc by arc."""
    is_pure = launch.arc_form and launch.send.effects.pure and launch.body.result is None
    is_known = launch.domain.kind in ("all", "active", "only", "receivers", "mask")
    acts = launch.send.effects.acts
    return is_pure and is_known and "send_to" not in acts and launch.layout != "coo"


def _choose(launch: Launch) -> Launch:
    """Return the launch, whose messages need not be kept, with its direction."""
    can_pull = can_be_pulled(launch)
    can_push = all(has_atomic(fold) for fold in launch.folds)
    fixed = config.deterministic and any(map(sums_floats, launch.folds))
    if launch.buffer == "accumulators" and can_push and not fixed:
        return _with(launch, "push", "into accumulators by atomics, as the caller asks")
    if can_pull and (launch.domain.kind == "all" or fixed):
        why = "floats are summed in one order" if fixed else "every vertex sends"
        return stage(_with(launch, "pull", f"{why}: receivers fold in registers, without atomics"))
    if can_push and launch.frontier and not fixed:
        return _with(launch, "push", f"the caller asks for {launch.frontier}: only the active send")
    if can_pull and can_push and launch.domain.kind == "active":
        return _with(
            launch, "either", "the active set varies: push while its arcs are few, else pull"
        )
    if can_push and not fixed:
        return _with(launch, "push", "only some send, or not along their arcs; atomics fold")
    if can_pull and not _follows_few(launch):
        return _with(launch, "pull", "the fold has no atomic form")
    if can_pull and launch.domain.kind == "active" and not launch.frontier:
        reason = "the active set varies: keep what is sent while its arcs are few, else pull"
        return _with(launch, "either", f"{reason}, as the fold has no atomic form")
    if can_pull:
        return _with(launch, "store", "only some send, and the fold has no atomic form")
    return _with(launch, "store", "the fold has no atomic form and cannot be pulled")


def _follows_few(launch: Launch) -> bool:
    """Return whether keeping messages takes work for those that are sent alone: in slots."""
    is_few = launch.domain.kind in ("active", "only", "receivers")
    if launch.receive is not None and launch.receive.everyone:
        return False  # which takes work for every vertex anyway
    is_free = launch.buffer == "" and launch.layout == "csr"  # the caller does not ask otherwise
    return is_few and is_free and not why_no_slots(launch)


def _with(launch: Launch, direction: str, reason: str) -> Launch:
    return launch.because(f"{direction}: {reason}", direction=direction)


def sums_floats(fold: Fold) -> bool:
    """Return whether a fold adds or multiplies floats, whose order shows in the result."""
    kinds = component_types(fold.message)
    return any(op.name in ("sum", "prod") for op in fold.ops) and bool({"f32", "f64"} & set(kinds))


def has_atomic(fold: Fold) -> bool:
    """Return whether a fold has an atomic form: a known operator, a tuple only if it packs."""
    if any(op.name not in ATOMIC or op.loc is not None for op in fold.ops):
        return False
    if not fold.ordered:
        return True
    kinds = component_types(fold.message)
    return len(kinds) == 2 and all(kind in SMALL for kind in kinds)


def stage(launch: Launch) -> Launch:
    """Decide whether each source computes its message once, before receivers gather it.

    Possible when the one message depends on the source alone. It saves the arithmetic per arc and
    lets the receiver write columns that the message reads.
    """
    sends = [each for each in b.statements_in(launch.body.statements) if isinstance(each, b.Send)]
    if len(sends) != 1 or sends[0] is not launch.body.statements[-1]:
        return launch
    if any(isinstance(each, b.If) for each in launch.body.statements):
        return launch
    for expr in b.expressions_in(launch.body.statements):
        element = b.element_of(expr)
        if isinstance(expr, b.Random) or (element is not None and element.role != "src"):
            return launch
    reason = "a message depends on its source alone: computed once per source, gathered per arc"
    return launch.because(reason, staged=True)
