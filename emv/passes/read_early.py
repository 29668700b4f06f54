"""Loops over links on cores that may read what they add up before they know whether it counts.

``if link.dst.level == level: total += link.dst.share`` is a branch that a processor guesses wrong
every other time on a mesh, and behind a wrong guess nothing is begun. What is added is read in any
case instead, and the sum with it or without it chosen. Where rows are long, reads that are not
needed cost more than the guesses did, so code generation asks for the longest row.
"""

from __future__ import annotations

import dataclasses
from typing import TypeGuard

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, by_launch

OPERATORS = ("+", "-", "*", "&", "|", "^")  # that cannot fail
SAFE = ("own", "link", "link_dst")  # elements that are there, whatever a test says


@by_launch
def read_early(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with its loops over links that need no branch, and what they do instead."""
    if around.setting.target != "cpu":
        return launch
    loops = [e for e in b.statements_in(launch.body.statements) if isinstance(e, b.ForLinks)]
    made = [(each, early_loop(each, f"_early{k}")) for k, each in enumerate(loops)]
    found = [s.EarlyReads(each, instead) for each, instead in made if instead is not None]
    if not found:
        return launch
    reason = "where rows are short, loops over links read what they add up before their tests"
    return launch.because(reason, early=tuple(found))


def early_loop(loop: b.ForLinks, name: str) -> b.ForLinks | None:
    """Return a loop that does without a branch what this one does; None if there may be none.

    What it reads early is called by a name that no user chooses.
    """
    test = b.only_test(loop.body)
    step = test.then[0] if test is not None and len(test.then) == 1 else None
    if test is None or not isinstance(step, b.Assign):
        return None
    value = step.value
    if not (_is_sum(value) and b.is_local(value.left, step.name) and may_be_early(value.right)):
        return None
    added = value.right
    summed = dataclasses.replace(value, right=b.Local(added.type, added.loc, name))
    chosen = b.ChooseBoth(value.type, step.loc, test.condition, summed, value.left)
    body = (b.Assign(added.loc, name, added), dataclasses.replace(step, value=chosen))
    return dataclasses.replace(loop, body=body)


def may_be_early(expr: b.Expr) -> bool:
    """Return whether an expression costs one read, and may be computed for nothing."""
    parts = b.inside(expr)
    reads = [each for each in parts if isinstance(each, b.Load)]
    others = [each for each in parts if not isinstance(each, b.Load)]
    return (
        len(reads) == 1
        and reads[0].element.role in SAFE
        and isinstance(expr.type, str)
        and all(isinstance(each, b.Local | b.Const) or _is_sum(each) for each in others)
    )


def _is_sum(expr: b.Expr) -> TypeGuard[b.Binary]:
    return isinstance(expr, b.Binary) and expr.op in OPERATORS
