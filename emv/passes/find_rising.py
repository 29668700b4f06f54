"""Find relaxations in which whoever is reached first is reached for good.

``if x < v.f: v.f = x; v.activate()``, where every arc adds the same to what it leads from, and all
seeds hold one number. Then all active vertices hold one number at any time (`level_fields` has the
proof), and what is sent never falls from one superstep to the next. So who has been given a number
finds no message below it, and who has not holds the one number above the seeds' that the column
began with: only the first message counts, as long as it is below that number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, DeclinedError, Setting
from emv.passes.exchange import fields_in, of_receiver, once, reaction_of, sent_by, spelled
from emv.passes.find_claim import without
from emv.passes.find_relax import is_useful
from emv.passes.level_fields import prove_level
from emv.passes.open_values import held_before, most_added
from emv.passes.simplify import joined


def may_rise(launch: s.Launch, relax: s.Relax, setting: Setting) -> bool:
    """Return whether a launch that relaxes sends the same from all who hold the same.

    Parts of a graph relax it, as what the first of the active holds is told behind other claims,
    and so do copies on GPUs, where claims go by bits and write whatever is sent.
    """
    if setting.divided or (setting.copies and setting.target == "cuda"):
        return False
    parts = [expr for sent in sent_by(launch) for expr in b.inside(sent.value)]
    kinds = b.Const | b.Binary | b.Call
    return all(isinstance(each, kinds) or b.reads(each, "src", relax.field) for each in parts)


def adds(launch: s.Launch) -> bool:
    """Return whether a launch sends more than what a field holds, as who counts does."""
    return any(not isinstance(sent.value, b.Load) for sent in sent_by(launch))


def find_rising(launch: s.Launch, relax: s.Relax, around: Around) -> s.Claim:
    """Return how the first message claims its receiver, of a launch that relaxes a field.

    Raises
    ------
    DeclinedError
        If a later message may be less, or it is not known that none is.
    """
    field = relax.field
    sent, *others = sent_by(launch)
    if others:
        raise DeclinedError(
            f"{launch.send.name}() sends one of several messages", "send one", others[0].value.loc
        )
    asked = []
    for test in sent.tests:
        made = of_receiver(test)
        if made is not None and field not in fields_in([made], "own"):
            asked.append(made)
        elif not is_useful(test, sent.value, field):  # which the receiver asks as well
            raise DeclinedError(
                f"{launch.send.name}() sends only where {spelled(test, launch.send)}, so that not "
                "all who are reached are sent something",
                "test what e.dst holds, or nothing: a loop that is to end sooner has limit=",
                test.loc,
            )
    reaction = reaction_of(launch.receiver)
    ((_, block),) = reaction.ends
    value = next(each.value for each in block if isinstance(each, b.Store))
    prove_level(launch, around, sent.value, {field: value}, (field, None))
    empty = _number_above(launch, sent.value, field, around)
    also = joined(once(asked)) if asked else None
    then = without(reaction.then, field)
    return s.Claim(field, empty, sent.value, value, also, then, rises=True)


def _number_above(launch: s.Launch, message: b.Expr, field: str, around: Around) -> Any:
    """Return the one number above that of the seeds which a field may hold before the loop."""
    held, seeds = held_before(field, launch, around)
    above = {each for each in held if each > max(seeds)}
    if len(above) != 1:
        raise DeclinedError(
            f"those who are not reached may hold several numbers in {field}, or none above that of "
            "the seeds",
            f"let {field} begin with one number that is larger than all others",
            launch.loc,
        )
    (empty,) = above
    dtype = around.schedule.program.fields["vertex", field].dtype
    if dtype.kind == "f":
        fits = empty != 0  # there are two zeros, and floats are exchanged by their bits
    else:
        most, limits = most_added(message, field, launch, around), np.iinfo(dtype)
        fits = most is not None and empty <= limits.max and empty - 1 + most <= limits.max
    if not fits:
        raise DeclinedError(
            f"what is above {empty!r} may not be a number of {field}",
            f"let {field} begin with a smaller number, and send what is one more",
            message.loc,
        )
    return empty
