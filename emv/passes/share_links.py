"""Find the loops over links that only add up, of which several links may be read at once.

    later = 0.0
    for link in links:
        if link.dst.level == level + 1:
            later += link.dst.share

What a link adds, and whether, does not depend on the links before it; only the sum does. So many
lanes of a GPU read links of a long row side by side, and what they read is added in the order of
the links: bit for bit the sum that one thread makes, which matters for floats alone. A vertex with
very many links is then not left to one thread, for which all others would have to wait.

Behind the loop one lane does what is left to be done; so nothing may happen before it.
"""

from __future__ import annotations

from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import natural
from emv.passes.around import Around, by_launch
from emv.passes.read_early import SAFE

LOOPS = (b.ForRange, b.ForLinks, b.ForMessages, b.ForCommon, b.While)
NUMBERS = ("f32", "f64", "i64")  # of locals that are added to
OPERATIONS = (b.Binary, b.Compare, b.Logic, b.Unary, b.Call, b.Choose, b.HelperCall)


@by_launch
def share_links(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with the loop over links of which a warp reads several at once."""
    setting = around.setting
    if setting.target != "cuda" or setting.divided or setting.copies or not is_map(launch):
        return launch
    found = shared_loop(launch.body, launch.body.statements)
    if found is None:
        return launch
    reason = "a loop over links only adds up: a warp reads long rows, and adds in their order"
    return launch.because(reason, links=found)


def is_map(launch: s.Launch) -> bool:
    """Return whether a launch is one walk over vertices that sends and returns nothing."""
    is_walk = launch.send.kind == "elist" and not launch.arc_form and launch.layout == "csr"
    stays = launch.again or launch.in_place or launch.gathered or launch.body.result is not None
    return is_walk and launch.direction == "none" and launch.heard is None and not stays


def shared_loop(body: b.Body, block: tuple[b.Stmt, ...]) -> s.SharedLinks | None:
    """Return the loop that a block leads to by tests and assignments of locals alone."""
    for place, stmt in enumerate(block):
        behind = block[place + 1 :]
        if isinstance(stmt, b.ForLinks):
            is_last = not any(isinstance(each, LOOPS) for each in b.statements_in(behind))
            return added_up(body, stmt) if is_last else None
        if isinstance(stmt, b.If):
            return None if behind or stmt.otherwise else shared_loop(body, stmt.then)
        if not isinstance(stmt, b.Assign):
            return None
    return None


def added_up(body: b.Body, loop: b.ForLinks) -> s.SharedLinks | None:
    """Return a loop that adds to locals what does not depend on them; None for any other."""
    test = b.only_test(loop.body)
    block = loop.body if test is None else test.then
    steps = tuple(each for each in block if isinstance(each, b.Assign))
    names, added = {each.name for each in steps}, [x for e in steps for x in added_by(body, e)]
    if not names or not len(added) == len(block) == len(names):
        return None
    asked = [] if test is None else [test.condition]
    parts = [each for expr in (*added, *asked) for each in b.inside(expr)]
    reads = {each.name for each in parts if isinstance(each, b.Local)}
    if reads & names or not all(map(is_plain, parts)):
        return None
    return s.SharedLinks(loop, None if test is None else test.condition, steps)


def added_by(body: b.Body, stmt: b.Assign) -> list[b.Expr]:
    """Return what a statement adds to a local; nothing if it does something else."""
    value = stmt.value
    if not (isinstance(value, b.Binary) and value.op == "+"):
        return []
    kinds = {kind_of(body.locals.get(stmt.name)), kind_of(value.type)}
    is_sum = b.is_local(value.left, stmt.name) and len(kinds) == 1
    return [value.right] if is_sum and kinds <= set(NUMBERS) else []


def kind_of(kind: Any) -> str:
    """Return the type in which a number is computed; nothing for what is none."""
    return natural(kind) if isinstance(kind, str) else ""


def is_plain(expr: b.Expr) -> bool:
    """Return whether an expression can be computed by any lane, and does nothing else."""
    if isinstance(expr, b.Load):
        return expr.element.role in SAFE
    return isinstance(expr, (b.Local, b.Const, *OPERATIONS)) and isinstance(expr.type, str)
