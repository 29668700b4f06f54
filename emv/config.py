"""The knobs: environment variables, each with an attribute that a program or a test may set.

A keyword of a call beats an attribute, an attribute beats the environment, the environment beats
the default. ``with config.using(debug=4): ...`` sets some for a while.

======================  =====================================================================
``EMV_BACKEND``         ``auto``, ``python`` or ``cpu``: where programs run by default
``EMV_CACHE``           folder of generated kernels; default ``~/.cache/emv``
``EMV_DEBUG``           a ladder: 1 device and graph; 2 a line per launch; 3 schedule and why;
                        4 kernel source; 5 program and effects
``EMV_DUMP``            folder that receives program, schedule and kernels of every run
``EMV_NUM_THREADS``     threads of the CPU backend; default: the cores this process may use
``EMV_DETERMINISTIC``   1: float sums in one fixed order everywhere
======================  =====================================================================
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path


def _default_threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _environment(name: str, default: str) -> str:
    return os.environ.get(name, default)


@dataclass
class Config:
    """The current value of every knob; see the module's table."""

    backend: str = field(default_factory=lambda: _environment("EMV_BACKEND", "auto"))
    cache: Path = field(
        default_factory=lambda: Path(_environment("EMV_CACHE", "~/.cache/emv")).expanduser()
    )
    debug: int = field(default_factory=lambda: int(_environment("EMV_DEBUG", "0")))
    dump: str = field(default_factory=lambda: _environment("EMV_DUMP", ""))
    num_threads: int = field(
        default_factory=lambda: int(_environment("EMV_NUM_THREADS", "0")) or _default_threads()
    )
    deterministic: bool = field(
        default_factory=lambda: _environment("EMV_DETERMINISTIC", "0") == "1"
    )

    @contextlib.contextmanager
    def using(self, **knobs: object) -> Iterator[Config]:
        """Set knobs inside a ``with`` block and put the old values back after it.

        Examples
        --------
        >>> with config.using(debug=4):
        ...     config.debug
        4
        """
        known = {each.name for each in fields(self)}
        for name in knobs:
            if name not in known:
                raise AttributeError(f"no knob {name!r}; there are {', '.join(sorted(known))}")
        before = {name: getattr(self, name) for name in knobs}
        try:
            for name, value in knobs.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)


config = Config()
