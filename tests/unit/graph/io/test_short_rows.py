"""Rows of short numbers among others, in texts that are long enough for the fast reader.

Plain Python's ``int`` and ``float`` say what each line means.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from emv.errors import GraphFormatError
from emv.graph.io import read, text
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import read_rows
from emv.graph.io.source import Source
from emv_kernels.cpu.marks import count_line_ends

NUM_LINES = 3000
SHORT_SEPARATORS = ("\t", " ", ",")
SEPARATORS = (*SHORT_SEPARATORS, " , ", "  ", "\t ", ", ")
LINE_ENDS = ("\n", "\r\n", "\r")
BETWEEN = ("", "# a comment 1 2", "   ", "% 1 2", "// 3")


def number(rng: random.Random, most_digits: int) -> str:
    digits = "".join(rng.choices("0123456789", k=rng.randint(1, most_digits)))
    return "7" + digits[1:] if len(digits) > 18 else digits


def decimal(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return f"{number(rng, 9)}.{number(rng, 9)}"
    forms = ("{0}", "-{0}.{1}", "{0}.", ".{0}", "{0}e-{1}", "+{0}", "{0}.{1}e2", "{0}.{1}{0}")
    return rng.choice(forms).format(number(rng, 9), number(rng, 2))


def rows(rng: random.Random, kind: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return lines, mostly of one kind, and the fields of those that are rows."""
    separators = [rng.choice(SHORT_SEPARATORS)] * 30 + list(SEPARATORS)
    ends = [rng.choice(LINE_ENDS)] * 30 + list(LINE_ENDS)
    most_digits = rng.choice((1, 7, 9))
    lines, fields = [], []
    for _ in range(NUM_LINES):
        if rng.random() < 0.01:
            lines.append(rng.choice(BETWEEN) + "\n")
        row = [number(rng, most_digits), number(rng, most_digits)]
        if kind != "none":
            row.append(decimal(rng) if kind == "float" else number(rng, 9))
        line = rng.choice(separators).join(row[:2]) + "".join(
            rng.choice(separators) + each for each in row[2:]
        )
        lines.append(line + rng.choice(ends))
        fields.append(tuple(row))
    return "".join(lines), fields


@pytest.mark.parametrize("kind", ["none", "int", "float"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_what_python_reads(monkeypatch, seed: int, kind: str) -> None:
    rng = random.Random(f"{seed} {kind}")
    content, fields = rows(rng, kind)
    monkeypatch.setattr(text, "CHUNK_BYTES", rng.choice((999, 10_000, 1 << 20)))
    names = ("source", "target", "weight")[: 2 if kind == "none" else 3]
    dtype = {"none": None, "int": np.int64, "float": np.float64}[kind]
    form = RowForm(names, dtype and np.dtype(dtype), has_commas=True)
    source = Source(Path("a.txt"), content.encode())
    found = read_rows(source.chunks(), source, form)
    assert found.src.tolist() == [int(each[0]) for each in fields]
    assert found.dst.tolist() == [int(each[1]) for each in fields]
    if found.values is not None:
        expected = np.array(
            [float(each[2]) if kind == "float" else int(each[2]) for each in fields]
        )
        assert found.values.dtype == dtype
        assert np.array_equal(found.values.view(np.int64), expected.view(np.int64))


WRONG = ("12", "1 x", "1 2 3 4", "-1 2", "1,2,,", "1 2;", "9999999999999999999 1", "1 2 \0", "1. 2")


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_line_is_named_wherever_it_stands(wrong: str, tmp_path: Path) -> None:
    rng = random.Random(wrong)
    lines = [f"{rng.randrange(10**6)}\t{rng.randrange(10**6)}" for _ in range(NUM_LINES)]
    place = rng.randrange(1, NUM_LINES)
    lines[place] = wrong
    path = tmp_path / "a.tsv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(GraphFormatError) as error:
        read(path)
    assert error.value.line == place + 1


def test_numbers_beyond_32_bits_may_come_at_any_time(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    large = 2**31 - 1, 2**31, 2**63 - 1, 5
    path.write_text("1 2\n" * 500 + "".join(f"{each} 0\n" for each in large) + "1 2\n" * 500)
    g = read(path)
    assert g.labels.tolist() == sorted({0, 1, 2, *large})
    assert g.labels[g.edges.src[500:504]].tolist() == list(large)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 128, 1000])
def test_line_ends_are_counted(size: int) -> None:
    rng = random.Random(size)
    for _ in range(20):
        content = bytes(rng.choices(b"\r\n1", k=size))
        expected = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
        assert count_line_ends(np.frombuffer(content, np.uint8)) == expected
