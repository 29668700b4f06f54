"""Where a random program's choices come from: hypothesis, a seed, or a list that is made shorter.

A generator asks only for numbers in ranges, and 0 is always the simplest. What it was given is
noted, so the same program can be made again from its list of numbers; `shortened` drops and lowers
numbers of a list while the program still fails, as hypothesis does with its own choices (MacIver
and Donaldson: Test-case reduction via test-case generation, ECOOP 2020).
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Choices:
    """Numbers in ranges; `numbers` holds those given so far.

    Parameters
    ----------
    number : callable
        Takes the lowest and the highest, and returns one of those between.
    """

    def __init__(self, number: Callable[[int, int], int]) -> None:
        self._number = number
        self.numbers: list[int] = []
        self.spans: list[tuple[int, int]] = []

    def number(self, low: int, high: int) -> int:
        chosen = self._number(low, high)
        self.numbers.append(chosen - low)
        return chosen

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.number(0, len(items) - 1)]

    def more(self, percent: int = 60) -> bool:
        """Return whether another part follows."""
        return self.number(0, 99) >= 100 - percent

    @contextlib.contextmanager
    def span(self, begin: int | None = None) -> Iterator[None]:
        """Note that the numbers chosen meanwhile, or from some on, make one part."""
        begin = len(self.numbers) if begin is None else begin
        yield
        self.spans.append((begin, len(self.numbers)))

    def parts(self, most: int, percent: int = 60) -> Iterator[int]:
        """Yield the numbers of parts, each of which may be left out."""
        for number in range(most):
            begin = len(self.numbers)
            if not self.more(95 if number == 0 else percent):
                return
            with self.span(begin):
                yield number

    def chance(self, percent: int) -> bool:
        """Return True so often; False is the simpler."""
        return self.number(0, 99) >= 100 - percent

    def some(self, items: Sequence[Any], least: int = 0) -> list[Any]:
        """Return some of the items, in their order."""
        chosen = [each for each in items if self.chance(50)]
        return chosen if len(chosen) >= least else list(items[:least])


def drawn(draw: Any, integers: Callable[[int, int], Any]) -> Choices:
    """Return choices that hypothesis makes, and shrinks."""
    return Choices(lambda low, high: draw(integers(low, high)))


def seeded(seed: object) -> Choices:
    """Return the choices of a seed."""
    return Choices(random.Random(str(seed)).randint)


def replayed(numbers: Sequence[int]) -> Choices:
    """Return the choices of a list; those after its end are the simplest."""
    left = iter(numbers)

    def number(low: int, high: int) -> int:
        return min(low + next(left, 0), high)

    return Choices(number)


def shortened(
    numbers: list[int],
    fails: Callable[[list[int]], bool],
    spans_of: Callable[[list[int]], list[tuple[int, int]]],
    most_tries: int = 1500,
) -> list[int]:
    """Return a shorter list of smaller numbers that fails too.

    Parameters
    ----------
    fails : callable
        Says whether the program of a list fails.
    spans_of : callable
        Gives the begin and the end of the numbers that made each part of a list's program.
    most_tries : int
        How often it is asked.
    """
    tries, place = 0, 0
    while tries < most_tries:
        tried = list(_simpler(numbers, spans_of(numbers)))
        tried = tried[place:] + tried[:place]  # go on where the last one was found
        for position, made in enumerate(tried):
            tries += 1
            if tries > most_tries:
                return numbers
            if fails(made):
                numbers, place = made, (place + position) % len(tried)
                break
        else:
            return numbers
    return numbers


def _simpler(numbers: list[int], spans: list[tuple[int, int]]) -> Any:
    """Yield simpler lists: without a part of the program, with a simplest one, with less."""
    known = set()
    for begin, end in sorted(spans, key=lambda each: each[0] - each[1]):
        without = numbers[:begin] + numbers[end:]
        zeros = [*numbers[:begin], 0, *numbers[end:]]
        for made in (without, zeros):
            if len(made) < len(numbers) and tuple(made) not in known:
                known.add(tuple(made))
                yield made
    for width in (8, 4, 2, 1):
        for begin in range(0, len(numbers), width):
            part = numbers[begin : begin + width]
            yield numbers[:begin] + numbers[begin + width :]
            if any(part):
                yield numbers[:begin] + [0] * len(part) + numbers[begin + width :]
    for place, number in enumerate(numbers):
        if number > 1:
            yield [*numbers[:place], number // 2, *numbers[place + 1 :]]
