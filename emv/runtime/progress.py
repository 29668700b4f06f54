"""A bar for runs that take some seconds, drawn by tqdm: ``emv.config.progress``.

``auto`` draws it where somebody waits at a Python prompt or in a notebook and tqdm is installed;
scripts, tests and servers stay silent. ``on`` draws it everywhere, ``off`` nowhere. A run hears of
its supersteps through its callback, a few times a second, so that a bar costs nothing that counts.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from emv.config import config
from emv.imports import is_installed, required
from emv.runtime.arguments import Arguments
from emv.runtime.marks import marked

FIRST_S = 2.0  # before which a bar is not drawn

Callback = Callable[[int, dict[str, Any]], Any]

_OF_SYS, _BUILT_IN = vars(sys), vars(builtins)


def is_wanted() -> bool:
    """Return whether bars are drawn: as ``EMV_PROGRESS`` says, by default where somebody waits."""
    if config.progress != "auto":
        return config.progress == "on"
    is_prompt = "ps1" in _OF_SYS or "get_ipython" in _BUILT_IN  # quicker than hasattr
    return is_prompt and _has_tqdm()


@functools.cache
def _has_tqdm() -> bool:
    """Return whether tqdm is installed, which is looked up once: to find a module takes 20 µs."""
    return is_installed("tqdm")


def is_watched() -> bool:
    """Return whether there is a bar to draw or a range to mark; to ask is all that most runs do."""
    is_script = "ps1" not in _OF_SYS and "get_ipython" not in _BUILT_IN
    if is_script and config.progress == "auto":
        return config.nvtx
    return config.nvtx or is_wanted()


def is_watched_again(seconds: float) -> bool:
    """Return whether that is so of a run whose equal took some time; short ones have no bar."""
    return config.nvtx or (seconds >= FIRST_S / 2 and is_wanted())


def watched(
    name: str, arguments: Arguments, callback: Callback | None
) -> AbstractContextManager[Callback | None]:
    """Return what gives the callback of a run that a bar tells of, or the one given for no bar.

    What runs meanwhile is a range for profilers, if such are asked for.

    Parameters
    ----------
    name : str
        Of the program.
    arguments : Arguments
        Of the call: ``max_iter`` tells how many supersteps there are at most. A batch has no bar.
    callback : callable, optional
        The caller's own, which is called as before.
    """
    has_bar = not arguments.copies and is_wanted()
    limit = arguments.numbers.get("max_iter")
    return _watched(name, Watch(name, limit, callback) if has_bar else None, callback)


@contextlib.contextmanager
def _watched(
    name: str, watch: Watch | None, callback: Callback | None
) -> Iterator[Callback | None]:
    with marked(name), watch or contextlib.nullcontext(callback) as told:
        yield told


class Watch:
    """A callback that draws a bar once a run has taken `FIRST_S` seconds."""

    def __init__(self, name: str, limit: float | None, callback: Callback | None) -> None:
        self.name, self.limit, self.callback = name, limit, callback
        self.started = time.perf_counter()
        self.bar: Any = None

    def __call__(self, supersteps: int, info: dict[str, Any]) -> Any:
        """Draw how far the run is, and say what the caller's callback says."""
        if self.bar is None and time.perf_counter() - self.started >= FIRST_S:
            self.bar = new_bar(self.name, self.limit)
        if self.bar is not None:
            self.bar.set_postfix_str(f"{info['active']:,} active", refresh=False)
            self.bar.update(supersteps - self.bar.n)
        return self.callback(supersteps, info) if self.callback is not None else False

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the bar as it is, below which the prompt goes on."""
        if self.bar is not None:
            self.bar.close()


def new_bar(name: str, limit: float | None, unit: str = " supersteps") -> Any:
    """Return a bar of tqdm's, in a notebook one of its widgets where these are installed.

    Raises
    ------
    ArgumentError
        If tqdm is not installed.
    """
    tqdm = required("tqdm.auto")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of widgets that are not there, in whose place is a text
        return tqdm.tqdm(desc=name, total=limit, unit=unit)
