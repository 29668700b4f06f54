"""Which way a message goes at a node of its receiver's tree, on every target."""

from __future__ import annotations

LOW = 0xFFFFFFFF
FACTOR = 0x45D9F3B  # below 2**27, so that products of 32-bit numbers keep their sign


def direction_function(decorate):
    """Return the function, compiled for a target."""

    @decorate
    def scattered(key, receiver):
        """Return 31 bits that look like drawn ones, from a message's key and its receiver."""
        mixed = (key ^ (key >> 32) ^ (receiver * 5)) & LOW
        mixed = ((mixed ^ (mixed >> 16)) * FACTOR) & LOW
        mixed = ((mixed ^ (mixed >> 15)) * FACTOR) & LOW
        return (mixed ^ (mixed >> 16)) & 0x7FFFFFFF

    return scattered
