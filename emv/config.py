"""The knobs: environment variables, each with an attribute that a program or a test may set.

A keyword of a call beats an attribute, an attribute beats the environment, the environment beats
the default. ``with config.using(debug=4): ...`` sets some for a while. A variable is read when its
attribute is first asked for, so that a wrong one is an error of the call that needs it.

======================  =====================================================================
``EMV_BACKEND``         ``auto``, ``python``, ``cpu``, ``cuda`` or ``cuda:N`` (a GPU by its number):
                        where programs run by default; ``cpu/3`` is the CPU, on three
                        parts, and ``cuda:0,1`` two GPUs with a part each
``EMV_CACHE``           folder of generated kernels; default ``~/.cache/emv``
``EMV_DATA``            folder of downloaded graphs, see `emv.datasets`; default
                        ``~/.cache/emv/data``
``EMV_DEBUG``           a ladder on stderr, each rung with those below it: 1 device and graph;
                        2 a line per launch; 3 schedule and why; 4 kernel source; 5 program
                        and effects
``EMV_DUMP``            folder that receives ``PROGRAM-DIGEST.program``, ``.schedule`` and
                        ``.py`` (the kernels) of every compiled program
``EMV_NUM_THREADS``     threads of the CPU backend; 0, the default: the cores this process may use
``EMV_DETERMINISTIC``   1: float sums in one fixed order everywhere
``EMV_FULL_TRACEBACK``  1: errors keep the frames of emv, instead of ending at your line
``EMV_NVTX``            1: ranges for the profilers that read NVTX, by the package nvtx
``EMV_PROGRESS``        ``auto``, ``on`` or ``off``: a bar for runs of some seconds; ``auto``, the
                        default, draws it in a Python prompt or notebook where tqdm is installed
======================  =====================================================================
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from emv.errors import ArgumentError, BackendUnavailableError

BACKENDS = ("auto", "python", "cpu", "cuda")
"""Where a program can run; ``auto`` is the fastest there is. ``cuda:1`` is the second GPU."""

WAYS = ("ranges", "metis", "hash")
"""The ways of dividing a graph that have a name; ``cpu/3/hash`` is three parts so divided."""

EXCHANGES = ("auto", "host", "peer")
"""Who hands on what GPUs read of each other: the host, between launches, or they themselves."""

DEBUG_LEVELS = range(6)
PROGRESS = ("auto", "on", "off")

CGROUPS = (  # where Linux says how much of the cores a container gets, by version
    (Path("/sys/fs/cgroup/cpu.max"),),
    (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")),
)


def check_backend(name: str) -> str:
    """Return the name of a backend, or refuse one that there is not.

    Raises
    ------
    BackendUnavailableError
        If there is no such backend; the message lists those there are.
    """
    if not is_backend(name):
        raise BackendUnavailableError(
            f"there is no backend {name!r}", remedy=f"There are: {', '.join(BACKENDS)}, cuda:N."
        )
    return name


def is_backend(name: object) -> bool:
    """Return whether a backend goes by this name; whether it can run here is another question.

    Examples
    --------
    >>> is_backend("cuda:1"), is_backend("cuda:x"), is_backend("gpu"), is_backend("cpu/3")
    (True, False, False, True)
    >>> is_backend("cuda:0,2/hash"), is_backend("cuda:0,0/ranges/host"), is_backend("cuda:0/hash")
    (True, True, False)
    """
    if not isinstance(name, str):
        return False
    if name in BACKENDS:
        return True
    place, *words = name.split("/")
    if place == "cpu":
        number, *words = words or [""]
        return _is_number(number) and int(number) > 0 and _are_ways(words, 1)
    kind, colon, listed = place.partition(":")
    ordinals = listed.split(",")
    is_listed = kind == "cuda" and bool(colon) and all(map(_is_number, ordinals))
    return is_listed and (not words or (len(ordinals) > 1 and _are_ways(words, 2)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _are_ways(words: list[str], most: int) -> bool:
    """Return whether words say how a graph is divided and, if two may, who hands on what."""
    is_way = all(way in WAYS or _is_number(way.removeprefix("given")) for way in words[:1])
    return len(words) <= most and is_way and all(each in EXCHANGES for each in words[1:])


@dataclass(frozen=True)
class Grouped:
    """A place of several GPUs, as its name says it.

    Attributes
    ----------
    devices : tuple of str
        One for each part of a graph; one GPU may stand there more than once.
    way : str
        How graphs are divided, see `WAYS`.
    exchange : {"auto", "host", "peer"}
        See `EXCHANGES`.
    """

    devices: tuple[str, ...]
    way: str = "ranges"
    exchange: str = "auto"

    @classmethod
    def of(cls, name: str) -> Grouped:
        """Return what the name of a GPU, or of several, says.

        Examples
        --------
        >>> Grouped.of("cuda:0,2/hash")
        Grouped(devices=('cuda:0', 'cuda:2'), way='hash', exchange='auto')
        >>> Grouped.of("cuda").devices
        ('cuda',)
        """
        place, *words = name.split("/")
        kind, colon, listed = place.partition(":")
        return cls(tuple(f"{kind}{colon}{each}" for each in listed.split(",")), *words)

    def __str__(self) -> str:
        numbers = ",".join(each.partition(":")[2] or "0" for each in self.devices)
        words = [self.way, self.exchange]
        while words and words[-1] in ("ranges", "auto"):
            words.pop()
        return "/".join([f"cuda:{numbers}", *words])


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ArgumentError("a whole number from 0 on")
    return int(text)


def _debug(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) not in DEBUG_LEVELS:
        raise ArgumentError(f"a whole number from 0 to {DEBUG_LEVELS[-1]}")
    return int(text)


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ArgumentError("0 or 1")
    return text == "1"


def _backend(text: str) -> str:
    if not is_backend(text):
        raise ArgumentError(f"one of {', '.join(BACKENDS)}, cuda:N")
    return text


def _progress(text: str) -> str:
    if text not in PROGRESS:
        raise ArgumentError(f"one of {', '.join(PROGRESS)}")
    return text


def _num_threads(text: str) -> int:
    return _whole_number(text) or _usable_cores()


def _usable_cores() -> int:
    """Return how many cores this process may use: by its affinity, and by its group's quota."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, *map(_quota, CGROUPS)))


def _quota(places: tuple[Path, ...]) -> int:
    """Return the cores of a quota, rounded up: its time over its period, in one file or two."""
    try:
        words = " ".join(each.read_text() for each in places).split()
        quota, period = (int(each) for each in words[:2])
    except (OSError, ValueError):  # no such group, or no limit, which is said in a word
        return sys.maxsize
    return -(-quota // period) if quota > 0 and period > 0 else sys.maxsize


def _folder(text: str) -> Path:
    return Path(os.path.expanduser(text))  # noqa: PTH111 - stays as it is without a home folder


KNOBS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "backend": ("auto", _backend),
    "cache": ("~/.cache/emv", _folder),
    "data": ("~/.cache/emv/data", _folder),
    "debug": ("0", _debug),
    "dump": ("", str),
    "num_threads": ("0", _num_threads),
    "deterministic": ("0", _switch),
    "full_traceback": ("0", _switch),
    "nvtx": ("0", _switch),
    "progress": ("auto", _progress),
}
"""Per attribute its default, as the variable would say it, and what reads the text."""

TURNED = [0]
"""How often a knob was set, or read from the environment."""


@dataclass(init=False, repr=False)
class Config:
    """The current value of every knob; see the module's table."""

    backend: str
    cache: Path
    data: Path
    debug: int
    dump: str
    num_threads: int
    deterministic: bool
    full_traceback: bool
    nvtx: bool
    progress: str

    def __getattr__(self, name: str) -> Any:
        """Read the environment when a knob is first asked for."""
        if name not in KNOBS:
            raise AttributeError(f"no knob {name!r}; there are {', '.join(sorted(KNOBS))}")
        default, read = KNOBS[name]
        variable = f"EMV_{name.upper()}"
        text = os.environ.get(variable, "") or default
        try:
            value = read(text)
        except ArgumentError as error:
            raise ArgumentError(f"{variable} is {error.what}, not {text!r}") from None
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Set a knob, and count that."""
        TURNED[0] += 1
        super().__setattr__(name, value)

    def check(self) -> None:
        """Read every knob that was not asked for yet.

        Raises
        ------
        ArgumentError
            If the environment gives one a value that it does not take.
        """
        for each in fields(self):
            getattr(self, each.name)

    @contextlib.contextmanager
    def using(self, **knobs: object) -> Iterator[Config]:
        """Set knobs inside a ``with`` block and put the old values back after it.

        Examples
        --------
        >>> with config.using(debug=4):
        ...     config.debug
        4
        """
        before = {name: getattr(self, name) for name in knobs}
        try:
            for name, value in knobs.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)


config = Config()
