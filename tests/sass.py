"""The instructions of a cubin, as ``nvdisasm`` lists them (no GPU needed)."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator

from emv.backends.cuda.assembly import sass

INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")


def instructions(cubin: bytes) -> list[str]:
    """Return the opcodes of a cubin with their modifiers, in order."""
    return INSTRUCTION.findall(sass(cubin))


def kinds(cubin: bytes) -> dict[str, int]:
    """Return how many instructions there are of each kind that costs something, and of all."""
    found = collections.Counter(kind for opcode in instructions(cubin) for kind in kinds_of(opcode))
    return dict(sorted(found.items()))


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
