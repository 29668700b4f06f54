"""Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw (SC 2011).

A draw is a function of the run's seed, the superstep, the element and the place of the call, so
every backend and every schedule draws the same. This plain version is the definition; the compiled
twins live in ``emv_kernels``.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from emv.errors import ArgumentError

if TYPE_CHECKING:
    Rng = int | np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
    """What ``rng=`` takes, as SPEC 7 has it; see `seed_of`."""
else:
    Rng = Any  # numpy loads its generators when they are first asked for

_MASK = 0xFFFFFFFF
NAMED = zlib.crc32(b"emv.random")  # the code of draws that numbers name


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the four 32-bit words of one block.

    Examples
    --------
    The first vector of the authors' known answers:

    >>> [hex(word) for word in philox((0, 0, 0, 0), (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _MASK, (p0 >> 32) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return c0, c1, c2, c3


def seed_of(what: str, rng: Rng) -> int:
    """Return the seed that an argument ``rng`` means.

    Parameters
    ----------
    what : str
        What to begin an error with: ``icm(): rng=``.
    rng : int, Generator, BitGenerator, SeedSequence or None
        A whole number is the seed. From a generator one is drawn, from a sequence or from None,
        which is what the system knows of chance, a generator is made before.

    Raises
    ------
    ArgumentError
        If it is none of these.

    Examples
    --------
    >>> seed_of("rng=", 7), seed_of("rng=", np.random.default_rng(7))
    (7, 2882744023523087010)
    """
    if type(rng) is int:  # as most often; the question below takes longer
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return int(rng)
    if draws_itself(rng):
        return int(np.random.default_rng(rng).integers(2**62))
    raise ArgumentError(
        f"{what} is a whole number, a generator of numpy's or None, not {rng!r}",
        remedy="Give a number for the same draws in every run, None for others each time.",
    )


def draws_itself(rng: object) -> bool:
    """Return whether an argument ``rng`` gives another seed each time."""
    kinds = np.random.Generator, np.random.BitGenerator, np.random.SeedSequence
    return rng is None or isinstance(rng, kinds)


def call_code(function: str, call: int) -> int:
    """Return the 32-bit code of one place that draws: the function's name and the call's number."""
    return (zlib.crc32(function.encode()) + call) & _MASK


def bits(seed: int, superstep: int, element: int, code: int) -> int:
    """Return the 64 random bits of one draw."""
    counter = (element & _MASK, (element >> 32) & _MASK, superstep & _MASK, code)
    words = philox(counter, (seed & _MASK, (seed >> 32) & _MASK))
    return words[0] | words[1] << 32


def uniform(seed: int, superstep: int, element: int, code: int) -> float:
    """Return a float in [0, 1) with 53 random bits."""
    return (bits(seed, superstep, element, code) >> 11) * 2.0**-53


def below(bound: int, seed: int, superstep: int, element: int, code: int) -> int:
    """Return an integer in ``range(bound)``: the high half of the product of bits and bound.

    The high half of a 64-bit product (Lemire, TOMACS 2019) without the rejection step: the bias is
    below ``bound / 2**32``, and every backend makes exactly one draw. ``bound`` is at most 2**31.
    """
    return ((bits(seed, superstep, element, code) >> 32) * bound) >> 32
