"""Which functions of a program's kernels Python calls on cores, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from emv.ir import schedule as s

State = NDArray[Any] | memoryview
"""The shared state, as kernels or as drivers see it."""


class Called:
    """The functions of the steps that no compiled function calls.

    Parameters
    ----------
    steps : tuple of step
        Of a schedule.
    names : dict
        The functions of steps, by the `id` of the step.
    relaxing : dict
        Of loops, by their `id`: the function that relaxes in place, and the place of the shared
        state that says whether it may.
    """

    def __init__(
        self, steps: tuple[Any, ...], names: dict[int, str], relaxing: dict[int, tuple[str, int]]
    ) -> None:
        self.names, self.relaxing = names, relaxing
        self.steps = [*self.within(steps)]

    def within(self, steps: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the steps that have such a function, in the order of the text."""
        for step in steps:
            if isinstance(step, s.LoopStep) and not step.compiled:
                yield from self.within(step.body)
            elif id(step) in self.names:
                yield step

    def function_of(self, step: Any, state: State) -> str:
        """Return the function of a step; of a loop that relaxes in place where values allow it."""
        name, place = self.relaxing.get(id(step), ("", 0))
        return name if name and state[place] else self.names[id(step)]

    def after(self, name: str, state: State) -> list[str]:
        """Return the functions that stand behind one in the text, of which a run may call some."""
        names = [self.function_of(step, state) for step in self.steps]
        return names[names.index(name) + 1 :] if name in names else []
