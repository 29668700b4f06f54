"""Pieces of a file by several threads: the same order, the same errors as by one."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from emv.config import config
from emv.errors import GraphFormatError
from emv.graph.io import read, text
from emv.graph.io.ahead import worked_ahead

THREADS = pytest.mark.parametrize("num_threads", [1, 2, 7])


@THREADS
def test_results_come_in_the_order_of_the_pieces(num_threads: int) -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.005 if number == 0 else 0)
        return number**2

    with config.using(num_threads=num_threads):
        got = list(worked_ahead(slow_first, iter(range(50))))
    assert got == [(number, number**2) for number in range(50)]


@THREADS
def test_few_pieces_are_made_ahead(num_threads: int) -> None:
    made = []

    def pieces() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    with config.using(num_threads=num_threads):
        for piece, _ in worked_ahead(abs, pieces()):
            assert len(made) <= piece + num_threads + 2
            if piece == 20:
                break


@THREADS
def test_an_error_waits_for_the_pieces_before_it(num_threads: int) -> None:
    def pieces() -> Iterator[int]:
        yield from range(5)
        raise GraphFormatError("cut off", "a.gz")

    with config.using(num_threads=num_threads):
        results = worked_ahead(abs, pieces())
        assert [next(results)[0] for _ in range(5)] == [0, 1, 2, 3, 4]
        with pytest.raises(GraphFormatError, match="cut off"):
            next(results)


@THREADS
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_first_bad_line_is_named(
    write, monkeypatch, num_threads: int, line_end: str, suffix: str
) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", 100)
    lines = ["1 2"] * 3000
    lines[1234], lines[1300], lines[2999] = "1 x", "1 -2", "1 2 3"
    path = write(line_end.join(lines), f"a.txt{suffix}")
    with config.using(num_threads=num_threads), pytest.raises(GraphFormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:1235: 'x' is not a vertex number")


@THREADS
def test_weights_turn_into_decimals_in_whatever_chunk(write, monkeypatch, num_threads: int) -> None:
    weights = [*map(str, range(-500, 500)), "-0", "0.5", "-0", str(2**53 + 1), "9" * 20, "inf"]
    monkeypatch.setattr(text, "CHUNK_BYTES", 64)
    path = write("".join(f"0 1 {weight}\n" for weight in weights))
    with config.using(num_threads=num_threads):
        got = read(path).edges.weight
    expected = np.array([float(weight) for weight in weights])
    expected[1000] = 0  # a whole number when it was read
    assert np.array_equal(got.view(np.int64), expected.view(np.int64))


@THREADS
def test_what_does_not_fit_is_refused_before_the_first_decimal(
    write, monkeypatch, num_threads: int
) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", 8)
    path = write(f"0 1 5\n0 1 {'9' * 20}\n0 1 0.5\n")
    with config.using(num_threads=num_threads), pytest.raises(GraphFormatError, match="not fit"):
        read(path)
