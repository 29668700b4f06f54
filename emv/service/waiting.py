"""Who comes next: users in fair shares, a user's jobs by priority, and small ones in between.

The user who has had the least time is served first; one who comes new begins with the least that
anybody active has had, so that nobody saves up. What does not fit while others run is overtaken by
what fits (back-filling; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001), but by so many jobs at most:
then nobody else begins until it fits, so that a large job waits for a bounded number of others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

OVERTAKEN = 16
"""How many jobs may go before one that came earlier in the order and did not fit."""


class Waits(Protocol):
    """What waits: whose it is, how urgent, how many came before it, how many overtook it."""

    user: str
    priority: int
    number: int
    overtaken: int


Item = TypeVar("Item", bound=Waits)


def anybody(_: Waits) -> bool:
    """Let every user have one more."""
    return True


class Waiting(Generic[Item]):
    """The jobs that have not begun, and how much time every user has had; not locked.

    Parameters
    ----------
    most_overtaken : int
        How many jobs may overtake one.
    """

    def __init__(self, most_overtaken: int = OVERTAKEN) -> None:
        self.most_overtaken = most_overtaken
        self.items: list[Item] = []
        self.seconds: dict[str, float] = {}
        self.running: dict[str, int] = {}

    def add(self, item: Item) -> None:
        """Let a job wait."""
        user = item.user
        is_alone = len(self.seconds) == 1 and user in self.seconds
        if not is_alone and not self.is_active(user):
            active = [self.seconds[each] for each in self.seconds if self.is_active(each)]
            self.seconds[user] = max(self.seconds.get(user, 0.0), min(active, default=0.0))
        self.items.append(item)

    def is_active(self, user: str) -> bool:
        """Return whether a user has jobs that wait or run."""
        return bool(self.running.get(user)) or any(each.user == user for each in self.items)

    def order(self) -> list[Item]:
        """Return the jobs in the order in which they should begin."""
        if len(self.items) < 2:
            return self.items[:]
        return sorted(
            self.items,
            key=lambda item: (
                self.running.get(item.user, 0),
                self.seconds[item.user],
                -item.priority,
                item.number,
            ),
        )

    def take(
        self,
        fits: Callable[[Item], bool],
        may: Callable[[Item], bool] = anybody,
        wanted: Item | None = None,
    ) -> Item | None:
        """Return the job that begins now and let it wait no longer; None if there is none.

        Parameters
        ----------
        fits : callable
            Whether there is memory for a job; if so, it is the job's from then on.
        may : callable
            Whether its user may have one more; who may not is passed over, and not overtaken.
        wanted : optional
            Take this one or none: it if it comes next, and overtakes nobody that does not fit.
        """
        if len(self.items) == 1 and may is anybody:  # as for most jobs that are asked for at once
            (item,) = self.items
            if (wanted is not None and item is not wanted) or not fits(item):
                return None
            self.begin(item)
            return item
        passed: list[Item] = []
        for item in self.order():
            if may is not anybody and not may(item):
                continue
            if wanted is not None and item is not wanted:
                return None
            if fits(item):
                for each in passed:
                    each.overtaken += 1
                self.begin(item)
                return item
            if item.overtaken >= self.most_overtaken:
                return None
            passed.append(item)
        return None

    def begin(self, item: Item) -> None:
        """Let a job wait no longer."""
        self.items.remove(item)
        self.running[item.user] = self.running.get(item.user, 0) + 1

    def ended(self, user: str, seconds: float) -> None:
        """Note that a job of a user has ended after so many seconds."""
        self.running[user] -= 1
        self.seconds[user] += seconds
