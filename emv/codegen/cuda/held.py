"""Places of the shared state as locals: all read at once at the beginning, all stored at the end.

One thread runs a control function while the whole grid waits. Written as it is meant, with a test
here and a place of the state there, it would wait for memory once per line; the loads of all places
that it names do not depend on each other, so together they take as long as one.
"""

from __future__ import annotations

import re

PLACE = re.compile(r"\b(state|ints|floats|near_far)\[(\w+)\]")
CHANGE = re.compile(r"^\s*(state|ints|floats|near_far)\[(\w+)\] ([-+]?)= ")

Place = tuple[str, str]


def held(lines: list[str], rare: frozenset[str] = frozenset()) -> list[str]:
    r"""Return the body of a function with its places of arrays held in locals.

    Parameters
    ----------
    lines : list of str
        The body, indented once; ``return`` leaves it.
    rare : frozenset of str
        Places of ``state`` that are read so seldom that they are left where they are.

    Examples
    --------
    >>> print("\n".join(held(["    if state[HALT] != 0:", "        state[HALT] = 0"])))
        state_HALT = state[HALT]
        while True:  # once
            if state_HALT != 0:
                state_HALT = 0
            break
        state[HALT] = state_HALT
    """
    read, changed = set[Place](), list[Place]()
    named = list(dict.fromkeys(match for line in lines for match in PLACE.findall(line)))
    for line in lines:
        change = CHANGE.match(line)
        rest = line if change is None or change[3] else line[change.end() :]
        read |= set(PLACE.findall(rest))
        if change is not None:
            changed.append((change[1], change[2]))
    kept = [each for each in named if each in read and each[1] not in rare]

    def local(match: re.Match[str]) -> str:
        return f"{match[1]}_{match[2]}" if match.groups() in kept else match[0]

    inner = ["    " + PLACE.sub(local, re.sub(r"\breturn$", "break", line)) for line in lines]
    return [
        *(f"    {array}_{place} = {array}[{place}]" for array, place in kept),
        "    while True:  # once",
        *inner,
        "        break",
        *(
            f"    {array}[{place}] = {array}_{place}"
            for array, place in kept
            if (array, place) in changed
        ),
    ]
