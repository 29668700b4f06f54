"""The instructions of a cubin, as ``nvdisasm`` lists them (no GPU needed)."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from emv.backends.cuda.assembly import sass

INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
LINE = re.compile(r"^(\.L_x_\d+):|/\*[0-9a-f]{4,}\*/\s+([^;]*;)", re.MULTILINE)
JUMP = re.compile(r"\bBRA `\((\.L_x_\d+)\)")
TOGETHER = "WARPSYNC.ALL", "BSYNC", "BAR."
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

    They are to be brought together before it. ptxas leaves that out where a barrier is behind a
    loop that lanes leave one by one, and a branch around the loop leads there, too; then lanes that
    are early count for all of their warp.
    """
    lines = LINE.findall(sass(cubin))
    jumps = collections.Counter(label for _, line in lines for label in JUMP.findall(line))
    found = ways = 0
    for label, line in lines:  # `ways`: the jumps to the last label behind which lanes may be apart
        if "BAR.SYNC" in line or "BAR.RED" in line:
            found += ways > 1
        ways = 0 if any(word in line for word in TOGETHER) else jumps[label] or ways
    return found


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
