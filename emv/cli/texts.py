"""What the text of an option means: a device, several GPUs, a seed."""

from __future__ import annotations

import argparse

from emv.config import is_backend


def device(text: str) -> str:
    """Return the name of a place where programs run, or refuse it."""
    if not is_backend(text):
        there = "auto, cpu, cuda, cuda:N and python"
        raise argparse.ArgumentTypeError(f"'{text}' is no device; there are {there}")
    return text


def gpus(text: str) -> int | str | list[str]:
    """Return what `Graph.on` takes as ``gpus``.

    Examples
    --------
    >>> gpus("2"), gpus("all"), gpus("cuda:0,cuda:2")
    (2, 'all', ['cuda:0', 'cuda:2'])
    """
    if text.isdecimal():
        return int(text)
    return text if text in ("all", "auto") else text.split(",")


def seed(text: str) -> int:
    """Return a seed, or refuse it."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 0 to 10**18 - 1")
    return int(text)
