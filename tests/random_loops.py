"""Loops of random programs that are traversals, in the many ways in which these can be written.

The compiler has shortcuts for them; whether it takes one or says why not, the results are those of
plain Python.
"""

from __future__ import annotations

from typing import Any

from random_model import Function

EMPTY = "-1"


def relaxing(steps: Any, field: Any, weight: Any, word: str) -> list[str]:
    """Write the loop of a traversal that improves a field, with its functions."""
    made, choices = steps.made, steps.choices
    along = "" if weight is None else f" + abs(e.{weight.name})"
    if field.family == "int":
        along += choices.pick(("", " + 1"))
    place, less, most = f"v.{field.name}", "<" if word == "min" else ">", choices.pick((0, 1, 2))
    better = choices.pick((f"best {less} {place}", f"{place} {turned(less)} best",
                           f"not best {turned(less)}= {place}"))  # fmt: skip
    kept = choices.pick(("best", f"{word}(best, {place})"))
    offer = [f"e.send(e.src.{field.name}{along})"]
    if most == 1:
        offer = [f"if e.src.{field.name} < 20:", f"    {offer[0]}"]
    limit = choices.pick(("3", "2", "40" if word == "min" else "4"))
    made.count("relax", f"combiner:{word}")
    functions = offer, guarded(steps, better, [f"{place} = {kept}", "v.activate()"])
    return loop(steps, field, functions, (word, limit, "best"))


def claiming(steps: Any, field: Any) -> list[str]:
    """Write the loop of a traversal that gives a field one value, with its functions."""
    made, choices = steps.made, steps.choices
    place = f"v.{field.name}"
    same = f"{place} == {EMPTY}", f"{EMPTY} == {place}", f"not {place} != {EMPTY}"
    free = choices.pick((*same, f"{place} < 0", f"0 > {place}", f"not ({place} >= 0)"))
    offer = [f"e.send(e.src.{field.name} + 1)"]
    if choices.chance(30):
        offer = [f"level = e.src.{field.name} + 1", "e.send(level)"]
    word, limit = choices.pick(("min", "max")), choices.pick(("3", "2", "40"))
    made.count("claim", f"combiner:{word}")
    clear = made.name("clear_")
    made.texts.append(["@vertex", f"def {clear}(v: Spot):", f"    {place} = {EMPTY}"])
    made.functions.append(Function(clear, "vertex"))
    functions = offer, guarded(steps, free, [f"{place} = best", "v.activate()"])
    return [f"{clear}(g)", *loop(steps, field, functions, (word, limit, "best"))]


def guarded(steps: Any, condition: str, lines: list[str]) -> list[str]:
    """Write lines under a condition: in an `if`, after an early return, or by a local."""
    form = steps.choices.pick(("if", "return", "local"))
    steps.made.count(f"guard:{form}")
    if form == "return":
        return [f"if not ({condition}):", "    return", *lines]
    named = [f"takes = {condition}"] if form == "local" else []
    return [*named, f"if {'takes' if named else condition}:", *(f"    {line}" for line in lines)]


def loop(
    steps: Any, field: Any, functions: tuple[list[str], list[str]], how: tuple[str, str, str]
) -> list[str]:
    """Write the functions of a traversal, its start and its loop."""
    made, choices = steps.made, steps.choices
    word, limit, given = how
    offer, take, start = (made.name(each) for each in ("offer_", "take_", "start_"))
    begin = [f"v.{field.name} = {choices.pick(('0', '1'))}", "v.activate()"]
    for name, kind, head, lines in (
        (offer, "edge", "e: Line", functions[0]),
        (take, "vertex", f"v: Spot, {given}: {field.dtype}", functions[1]),
        (start, "vertex", "v: Spot", begin),
    ):
        made.texts.append([f"@{kind}", f"def {name}({head}):", *(f"    {line}" for line in lines)])
        made.functions.append(Function(name, kind))
    made.count("domain:active", "domain:receivers")
    step, got = made.name("step"), made.name("got")
    domain = choices.pick((f"{got}.receivers", "g"))
    return [
        f"{start}(g.only({made.ask('ids', 'ids')}))",
        f"for {step} in g.supersteps({limit}):",
        f"    {got} = {offer}(g.active)",
        f"    {take}({domain}, emv.{word}({got}))",
    ]


def turned(sign: str) -> str:
    return ">" if sign == "<" else "<"
