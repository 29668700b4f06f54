r"""The line on a terminal that says what a long command is doing.

Only on a terminal, and only about what takes longer than a second: a thread draws the line, so
that work which reports nothing (reading a file, compiling) is seen to go on. It is erased
before anything else is printed.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from emv.cli.failures import ERASE_LINE

FIRST_LINE_S = 1.0
NEXT_LINE_S = 0.2
BAR_COLUMNS = 24


class Progress:
    """What is going on, for a terminal.

    Parameters
    ----------
    stream : text file
        Where the line goes; nothing is written if it is no terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self._num_done = 0
        self._limit: int | None = None
        self._bytes: Callable[[], tuple[int, int]] | None = None

    @contextlib.contextmanager
    def stage(
        self,
        text: str,
        limit: int | None = None,
        bytes_of: Callable[[], tuple[int, int]] | None = None,
    ) -> Iterator[None]:
        """Say what is being done while it lasts.

        Parameters
        ----------
        text : str
            Such as ``reading roads.txt``.
        limit : int, optional
            How many supersteps there are at most; with it a bar is drawn.
        bytes_of : callable, optional
            Of what reads a file: returns how many bytes are read, and how many there are.
        """
        self._text, self._num_done, self._limit, self._bytes = text, 0, limit, bytes_of
        if not self._stream.isatty():
            yield
            return
        is_over = threading.Event()
        thread = threading.Thread(target=self._draw_until, args=(is_over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def step(self, num_done: int, text: str) -> None:
        """Note how many supersteps are done, and of what."""
        self._num_done, self._text = num_done, text

    def _draw_until(self, is_over: threading.Event) -> None:
        started = time.perf_counter()
        if is_over.wait(FIRST_LINE_S):
            return
        while True:
            self._draw(time.perf_counter() - started)
            if is_over.wait(NEXT_LINE_S):
                break
        self._stream.write(ERASE_LINE)
        self._stream.flush()

    def _draw(self, seconds: float) -> None:
        columns = shutil.get_terminal_size().columns
        if self._bytes is None:
            line = progress_line(self._text, seconds, self._num_done, self._limit)
        else:
            line = reading_line(self._text, seconds, *self._bytes())
        self._stream.write(ERASE_LINE + line[: columns - 1])
        self._stream.flush()


def reading_line(text: str, seconds: float, done: int, size: int) -> str:
    """Return the line of a file that is being read, with percent and rate as far as they are known.

    Examples
    --------
    >>> reading_line("reading roads.txt", 2.4, 48_000_000, 120_000_000)
    'emv: reading roads.txt 40 %, 20 MB/s, 2 s'
    >>> reading_line("reading roads.emv", 2.4, 0, 4096)
    'emv: reading roads.emv 2 s'
    """
    if not 0 < done <= size:
        return progress_line(text, seconds, 0, None)
    share, rate = 100 * done // size, done / seconds / 1e6
    return f"emv: {text} {share} %, {rate:.3g} MB/s, {seconds:.0f} s"


def progress_line(text: str, seconds: float, num_done: int, limit: int | None) -> str:
    """Return the line.

    Examples
    --------
    >>> progress_line("pagerank", 2.4, 25, 100)
    'emv: pagerank [######                  ] superstep 25 of at most 100, 2 s'
    >>> progress_line("bfs", 2.4, 25, None)
    'emv: bfs superstep 25, 2 s'
    >>> progress_line("reading roads.txt", 2.4, 0, None)
    'emv: reading roads.txt 2 s'
    """
    if num_done == 0:
        return f"emv: {text} {seconds:.0f} s"
    if limit is None:
        return f"emv: {text} superstep {num_done:,}, {seconds:.0f} s"
    filled = "#" * (BAR_COLUMNS * min(num_done, limit) // max(1, limit))
    bar = f"[{filled:{BAR_COLUMNS}}]"
    return f"emv: {text} {bar} superstep {num_done:,} of at most {limit:,}, {seconds:.0f} s"
