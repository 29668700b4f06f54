"""Whatever the bytes are, reading them gives a graph that holds together, or `GraphFormatError`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from graph_files import DATA
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from emv.errors import GraphFormatError
from emv.graph.io import FORMATS, entries, read, text
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.source import Source
from emv.graph.io.text import Chunk
from tests.stress import trust

FUZZ = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
GOOD = [
    "mtx/LFAT5.mtx",
    "mtx/cover.mtx",
    "mtx/tree-example.mtx",
    "messy/lagraph/full_symmetric.mtx",
    "messy/lagraph/skew_fp64.mtx",
    "messy/fast_matrix_market/windows_newlines.mtx",
    "edgelist/gap-4.wel",
    "messy/comments.edgelist",
]
NAMES = st.sampled_from(["a.mtx", "a.txt", "a.csv", "a.edgelist", "a"])
LIKELY = st.text(st.sampled_from("0123456789 \t\n\r,.-+eE#%/nainf\0x\ufeffé"), max_size=200).map(
    str.encode
)


def check(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        g = read(path)
    except GraphFormatError:
        return
    src, dst = g.arcs()
    assert len(src) == g.num_arcs
    if g.num_arcs:
        assert min(src.min(), dst.min()) >= 0
        assert max(src.max(), dst.max()) < g.num_vertices
    if "weight" in g.edges:
        assert g.edges.weight.shape == (g.num_edges,)


@FUZZ
@given(content=st.one_of(st.binary(max_size=300), LIKELY), name=NAMES)
@example(content=b"/", name="a")
@example(content=b"1 2 /", name="a")
@example(content=b"0 1\n0 1 2", name="a.mtx")
@example(content=b"\x1f\x8b", name="a")
@example(content=b"%%MatrixMarket", name="a.mtx")
def test_any_bytes(tmp_path: Path, content: bytes, name: str) -> None:
    check(tmp_path / name, content)


@FUZZ
@given(
    good=st.sampled_from(GOOD),
    edits=st.lists(
        st.tuples(
            st.floats(0, 1, exclude_max=True),
            st.integers(0, 4),
            st.one_of(st.binary(max_size=4), LIKELY.map(lambda likely: likely[:8])),
        ),
        min_size=1,
        max_size=6,
    ),
    chunk_bytes=st.sampled_from([5, 100, 1 << 20]),
)
def test_good_files_with_some_bytes_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good, edits, chunk_bytes
) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    path = DATA / good
    content = bytearray(path.read_bytes())
    for place, num_removed, inserted in edits:
        begin = int(place * len(content))
        content[begin : begin + num_removed] = inserted
    check(tmp_path / path.name, bytes(content))


def test_no_reader_breaks_of_what_the_fuzzer_makes_and_other_parsers_agree() -> None:
    """Runs apart: the memory that it may take is bounded, and this process has threads."""
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    command = [sys.executable, "-m", "tests.stress.trust", "--part", "files", "--small"]
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        cwd=Path(trust.__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("fuzzed")]
    assert len(lines) == len(FORMATS) + 1
    assert all("read" in line and "refused" in line for line in lines)


@FUZZ
@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False).map(repr),
            st.decimals(allow_nan=False, allow_infinity=False).map(str),
            st.from_regex(r"\A[+-]?[0-9]{0,25}\.?[0-9]{1,25}([eE][+-]?[0-9]{1,3})?\Z"),
            st.from_regex(r"\A[0-9]{15,18}[eE]-?[0-9]{1,2}\Z"),
        ),
        min_size=1,
    )
)
def test_decimals_are_those_that_python_reads(numbers: list[str]) -> None:
    numbers = [each for each in numbers if np.isfinite(float(each))]  # what overflows is refused
    lines = "".join(f"{number}\n" for number in numbers).encode()
    form = RowForm(("value",), np.dtype(np.float64))
    rows = entries.read_rows(iter([Chunk(lines, 1)]), Source(Path("a.txt")), form)
    assert rows.values is not None
    expected = np.array([float(number) for number in numbers])
    assert np.array_equal(rows.values.view(np.int64), expected.view(np.int64))
