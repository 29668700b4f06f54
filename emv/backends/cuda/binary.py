"""What a compiler hands to a device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Binary:
    """A compiled program.

    Attributes
    ----------
    cubin : bytes
        The code, for one architecture.
    kernel : str
        The name of its kernel there.
    registers : int
        Of one thread.
    spill_bytes, stack_bytes : int
        Local memory of one thread: spilled registers (stored and loaded), and the stack.
    shared_bytes : int
        Static shared memory of one block.
    seconds : float
        How long it took to compile or to read, when it was first asked for.
    """

    cubin: bytes
    kernel: str
    registers: int
    spill_bytes: int
    stack_bytes: int
    shared_bytes: int
    seconds: float
