"""The instructions of a cubin, as ``nvdisasm`` lists them (no GPU needed)."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from emv.backends.cuda.assembly import sass

INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
LINE = re.compile(r"^(\.L_x_\d+):|/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][^;]*);", re.MULTILINE)
TARGET = re.compile(r"`\((\.L_x_\d+)\)")
TOGETHER = "WARPSYNC.ALL", "BSYNC", "BRA.DIV", "BAR."
"""Behind which all lanes of a warp go on together."""


def instructions(cubin: bytes) -> list[str]:
    """Return the opcodes of a cubin with their modifiers, in order."""
    return INSTRUCTION.findall(sass(cubin))


def kinds(cubin: bytes) -> dict[str, int]:
    """Return how many instructions there are of each kind that costs something, and of all."""
    found = collections.Counter(kind for opcode in instructions(cubin) for kind in kinds_of(opcode))
    return dict(sorted(found.items()))


def strays(cubin: bytes) -> int:
    """Return to how many barriers of a block lanes of a warp may come one by one.

    They are to be brought together before it. Some versions of ptxas leave that out where a barrier
    is behind a loop that lanes leave one by one, and a branch around the loop leads there, too;
    then lanes that are early count for all of their warp.
    """
    return len(apart_at_barriers(sass(cubin)))


def apart_at_barriers(text: str) -> set[int]:
    """Return the numbers of the barriers to which some way leads from a loop that lanes leave.

    Nothing on that way brings them together. A loop with a barrier inside they leave together.
    """
    ways, lines = ways_of(text)
    apart, found, waiting = {0: False}, set[int](), [0]
    while waiting:
        k = waiting.pop()
        is_apart, line = apart[k], lines[k]
        if is_apart and line.startswith(("BAR.SYNC", "BAR.RED")):
            found.add(k)
        is_apart = is_apart and not line.startswith(TOGETHER)
        for following, leaves in ways[k]:
            if (is_apart or leaves) > apart.get(following, -1):
                apart[following] = is_apart or leaves
                waiting.append(following)
    return found


def ways_of(text: str) -> tuple[list[list[tuple[int, bool]]], list[str]]:
    """Return where each instruction leads, and whether that leaves a loop; and all of them."""
    labels, tests, lines = dict[str, int](), list[bool](), list[str]()
    for label, test, line in LINE.findall(text):
        if label:
            labels[label] = len(lines)
        else:
            tests.append(bool(test))
            lines.append(line)
    ways: list[list[tuple[int, bool]]] = [[] for _ in lines]
    for k, line in enumerate(lines):
        target = TARGET.search(line) if line.startswith("BRA") else None
        begin = labels[target[1]] if target else len(lines)
        if target:
            ways[k].append((begin, False))
        leaves = begin <= k and not any(each.startswith("BAR.") for each in lines[begin:k])
        if tests[k] or not line.startswith(("BRA ", "EXIT", "RET")):
            ways[k].append((k + 1, leaves))
    return ways, lines


def kinds_of(opcode: str) -> Iterator[str]:
    """Yield the kinds that an instruction counts for.

    >>> list(kinds_of("ATOMG.E.CAS.STRONG.GPU")), list(kinds_of("LDG.E.64")), list(kinds_of("MOV"))
    (['instructions', 'CAS'], ['instructions', 'LDG'], ['instructions'])
    """
    yield "instructions"
    name, *modifiers = opcode.split(".")
    if name == "ATOMG" and any(modifier.startswith("CAS") for modifier in modifiers):
        yield "CAS"
    elif name in KINDS:
        yield KINDS[name]


KINDS = {
    name: kind
    for kind, names in {
        **{same: same for same in "LDG STG LDL STL LDS STS LD ST ATOMS MEMBAR MATCH BAR".split()},
        "CALL": "CALL",
        "REDG": "REDG RED",
        "ATOMG": "ATOMG ATOM",
        "SHFL": "SHFL REDUX CREDUX",
        "VOTE": "VOTE VOTEU",
        "FMA": "FFMA DFMA",
    }.items()
    for name in names.split()
}
"""By opcode. (HFMA2 is left out: compilers use it to move constants.)"""
