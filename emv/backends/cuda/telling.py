"""Where the launches of a call count and meet, and where the host hears what they counted.

A call's last launch writes that to pinned memory as it begins, with the call's own number behind,
at which Python looks until it is there, and zeros to where the next call on the stream counts. So
launches follow one another at once, with no event, copy, fill or wait between them
(`emv_kernels.cuda.telling`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from emv.backends.cuda.array import empty
from emv.backends.cuda.device import Device
from emv.backends.cuda.pool import Pinned
from emv.backends.cuda.prepared import Step, place_of
from emv_kernels.sizes import ALONE_AT

LONG = np.dtype(np.int64)
FACTS = 3  # see `emv_kernels.cuda.telling.tell`
WORDS = FACTS + ALONE_AT + 1  # what is counted, and the places by which blocks meet
SOON = 1 << 14  # times that the host looks whether it was told, about a millisecond, then it waits
TELL = Step("telling.tell", (LONG, LONG, LONG), 2)
"""The step of the last launch that tells; see `Call.arrays` and `Call.numbers`."""


class Room:
    """Room for a call.

    Attributes
    ----------
    facts, state : int
        Where what counts, and then the places by which blocks meet, begin: words of zeros.
    home : int
        Pinned memory of the host, as kernels see it.
    told : memoryview
        The same, as the host does.
    """

    __slots__ = ("_held", "facts", "home", "state", "told")

    def __init__(self, on: Device) -> None:
        words, pinned = empty(on, WORDS, LONG), Pinned(on.driver, LONG.itemsize * (FACTS + 1))
        self._held = words, pinned
        self.facts, self.state = words.address, words.address + FACTS * LONG.itemsize
        self.home, self.told = pinned.address, memoryview(pinned.bytes.view(LONG))
        self.told[FACTS] = 0


class Rooms:
    """The rooms of a stream: in the order of its launches each writes zeros for the next one.

    Attributes
    ----------
    ready, used : list of Room
        What is zeros, and what earlier launches on the stream have used.
    next_number : callable
        Gives every call a number of its own, by which the host knows what it is told.
    """

    def __init__(self) -> None:
        self.ready: list[Room] = []
        self.used: list[Room] = []
        self.next_number: Callable[[], int] = itertools.count(1).__next__


class Call:
    """A call whose last launch tells what was counted; the device is the current one.

    Attributes
    ----------
    place, stream : int
        Of what the caller does; see `beside`.
    room : Room
        Where its launches count: of zeros.
    """

    __slots__ = ("_on", "_rooms", "_serial", "_spare", "place", "room", "stream")

    def __init__(self, on: Device) -> None:
        self._on = on
        self.place, self.stream = place_of(on)
        self._rooms = rooms = on.rooms.get(self.stream) or on.rooms.setdefault(self.stream, Rooms())
        try:
            self.room: Room = rooms.ready.pop()
        except IndexError:  # or another thread has it
            self.room = Room(on)
            on.driver.fill(self.room.facts, b"\0", WORDS * LONG.itemsize, self.stream)
        try:
            self._spare: Room = rooms.used.pop()
        except IndexError:
            self._spare = Room(on)
        self._serial = rooms.next_number()

    def arrays(self, facts: int = 0) -> tuple[int, int, int]:
        """Return what the step that tells is given: facts, of the room unless others are told."""
        return facts or self.room.facts, self.room.home, self._spare.facts

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of that step."""
        return self._serial, WORDS

    def is_launched(self) -> None:
        """Note that what tells is on the stream: the next call finds its zeros."""
        self._rooms.ready.append(self._spare)

    def hear(self) -> list[int]:
        """Return what was counted, once; waits for the launches before the one that tells."""
        told, serial = self.room.told, self._serial
        for _ in range(SOON):
            if told[FACTS] == serial:
                break
        else:  # much else was put on the stream before
            self._on.driver.synchronize(self.stream)
        facts = told[:FACTS].tolist()
        self._rooms.used.append(self.room)
        return facts
