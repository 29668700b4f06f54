"""What a graph answers to words that it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emv.lang.slips import PROGRAMS, outside_a_program
from emv.tracebacks import ends_at_caller


class NoWords:
    """A class whose objects tell those who forget ``@program`` what they forgot."""

    if not TYPE_CHECKING:  # a checker would think that every name is there

        @ends_at_caller
        def __getattr__(self, name: str) -> Any:
            if name in PROGRAMS:
                raise outside_a_program(name)
            what = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(what, name=name, obj=self)
