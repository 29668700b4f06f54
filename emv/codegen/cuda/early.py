"""Read early what an element's lines read of it, so that its loads do not wait for each other.

A thread waits for a load when it first uses what was loaded, and loads behind that point wait with
it. Written as the program says it, an element's fields are loaded one after another. All loads by
the element's own index can go first; they change nothing, and are repeated from memory once the
lines have stored to their array.
"""

from __future__ import annotations

import itertools
import re

from emv.codegen.cuda.access import access_of

TOGETHER = 4  # elements whose loads are under way at once
MOST_LINES = 16  # of an element, when several are written one after another
LOOPS = re.compile(r"^\s*(?:while|for)\b")


def early_loads(
    lines: list[str], index: str, arrays: tuple[str, ...]
) -> tuple[dict[str, str], list[str]]:
    """Return the loads by an index that can go first, and the lines that use them instead.

    Examples
    --------
    >>> loads, lines = early_loads(["    x[v] = y[v] + y[np.int64(v) + 1]"], "v", ("x", "y"))
    >>> loads
    {'y_v_0': 'y[v]', 'y_v_1': 'y[np.int64(v) + 1]'}
    >>> lines
    ['    x[v] = y_v_0 + y_v_1']
    """
    own = rf"(?:{index}|np\.int64\({index}\))(?: \+ (?:1|ONE))?"
    choice = rf"(?: if \w+ else {index}\b)?"  # or the index itself, for all elements alike
    load = re.compile(rf"\b({'|'.join(arrays) or '-'})\[({own})\](?! [-+|&^]?= ){choice}")
    found: dict[str, str] = {}
    changed = {"state", "ints", "floats"}

    def local(match: re.Match[str]) -> str:
        if match[1] in changed:
            return match[0]
        known = [name for name, text in found.items() if text == match[0]]
        name = known[0] if known else f"{match[1]}_{index}_{len(found)}"
        found[name] = match[0]
        return name

    made = []
    for line in lines:
        code, mark, comment = line.partition("  # ")
        if LOOPS.match(code):  # what comes later may come again
            changed |= access_of(lines, arrays).writes
        writes = access_of([line], arrays).writes
        plain = re.match(r"\s*\w+\[[^\]]*\] = ", code)
        changed |= set() if plain else writes
        made.append(load.sub(local, code) + mark + comment)
        changed |= writes
    return found, made


def several(lines: list[str], name: str, arrays: tuple[str, ...], indent: str) -> list[str] | None:
    """Return the lines of a walk over several elements at a time, or None where it does not pay.

    Parameters
    ----------
    lines : list of str
        What is done with the element ``name``, number ``k`` of ``size``.
    arrays : tuple of str
        The arrays that the lines may name.
    indent : str
        Of the lines.
    """
    loads, body = early_loads(lines, name, arrays)
    if not loads or len(lines) > MOST_LINES or any(map(LOOPS.match, lines)):
        return None
    steps = ["k", *(f"k_{j}" for j in range(1, TOGETHER))]
    made = [f"{indent}{k} = {before} + stride" for before, k in itertools.pairwise(steps)]
    made += [
        f"{indent}{name}_{j} = {'k' if j == 0 else f'k_{j} if k_{j} < size else k'}"
        for j in range(TOGETHER)
    ]
    word = re.compile(rf"\b{name}\b")
    for j in range(TOGETHER):
        for local, text in loads.items():
            made.append(f"{indent}{local}_{j} = {word.sub(f'{name}_{j}', text)}")
    for j in range(TOGETHER):
        inner = "" if j == 0 else "    "
        if j:
            made.append(f"{indent}if k_{j} < size:")
        made.append(f"{indent}{inner}{name} = {name}_{j}")
        made += [f"{indent}{inner}{local} = {local}_{j}" for local in loads]
        made += [inner + line for line in body]
    return made
