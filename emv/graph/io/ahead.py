"""Work on the pieces of a file by several threads, its results in the order of the pieces.

One thread makes the pieces (it reads the file, or unpacks it) and uses the results; the others
work, in kernels that release the GIL. Only a few pieces are under way at once, so that memory holds
a few of them however large the file is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from emv.config import config
from emv.errors import GraphFormatError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def worked_ahead(
    task: Callable[[Piece], Result], pieces: Iterator[Piece]
) -> Iterator[tuple[Piece, Result]]:
    """Yield each piece with what the task makes of it, which other pieces' tasks do not wait for.

    An error of a task is raised when the turn of its piece comes; one in making a piece when all
    the pieces before it have been used.

    Examples
    --------
    >>> list(worked_ahead(len, iter(["a", "bc"])))
    [('a', 1), ('bc', 2)]
    """
    num_threads = config.num_threads
    if num_threads == 1:
        for piece in pieces:
            yield piece, task(piece)
        return
    waiting: deque[tuple[Piece, Future[Result]]] = deque()
    failure: GraphFormatError | None = None
    pool = ThreadPoolExecutor(num_threads)
    try:
        while True:
            try:
                piece = next(pieces)
            except StopIteration:
                break
            except GraphFormatError as error:
                failure = error
                break
            waiting.append((piece, pool.submit(task, piece)))
            if len(waiting) > num_threads + 1:
                yield _first(waiting)
        while waiting:
            yield _first(waiting)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # one may be compiling, for seconds
    if failure is not None:
        raise failure


def _first(waiting: deque[tuple[Piece, Future[Result]]]) -> tuple[Piece, Result]:
    piece, future = waiting.popleft()
    return piece, future.result()
