"""The text of a traced program for a GPU: that of the program, and records."""

from __future__ import annotations

import re

import pytest
from algorithm_arguments import ARGUMENTS
from scheduled import compiled

from emv.algorithms import ALGORITHMS
from emv.codegen.cuda import tracing
from emv.codegen.printer import Printer
from emv.codegen.state import PLACES
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import compile_program

RECORDING = re.compile(
    r"\s*(record\(state, .*|if me == 0:|phase = \d+.*|[A-Z_]+ = \d+|.* import nanoseconds)"
)
CROSSED = re.compile(
    r"""lane = arrive\(state, blocks\)
 *if lane == 0:
 *release\(state, blocks, generation\)
 *generation = wait\(state, blocks, generation\)"""
)  # a barrier in which nothing is done but for a record
RECORD = "\n".join(line for line, _ in Printer(tracing.record()).write())


def texts(name: str) -> tuple[str, str]:
    """Return an algorithm's program for a GPU, and the traced one."""
    program = ALGORITHMS[name]
    arguments = sort_arguments(program.python, program.bind, ARGUMENTS[name], {})
    return tuple(
        compile_program(
            program.python, program.bind, arguments, program.loc, False, target
        ).source.text
        for target in ("cuda", "traced")
    )


def without_records(text: str) -> list[str]:
    """Return the lines of a program but for constants and those that keep records."""
    text = text.replace(RECORD, "")
    text = re.sub(r",\n {8,}", ", ", text)  # broken lines, whole again
    text = text.replace(" trace,", "")  # a parameter
    lines = [line for line in text.splitlines() if line and not RECORDING.fullmatch(line)]
    crossed = "generation = cross(state, blocks, generation)"
    return re.sub(CROSSED, crossed, "\n".join(lines)).splitlines()


@pytest.mark.parametrize("name", ["icm", "sssp"])
def test_traced_program_is_the_program_with_records(name):
    """So it is where arcs are counted anyway, and no two walks would be joined without records."""
    plain, traced = texts(name)
    assert not re.search(r"\b(trace|record|nanoseconds)\b", plain)
    assert without_records(traced) == without_records(plain)


def test_one_thread_decides_where_it_keeps_records():
    plain, traced = texts("bfs")
    assert "take_copy(own" in plain
    assert "take_copy(own" not in traced


def test_record_reads(golden):
    assert golden == RECORD + "\n"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_phase_has_a_label_of_its_own(name):
    program = ALGORITHMS[name]
    arguments = sort_arguments(program.python, program.bind, ARGUMENTS[name], {})
    source = compile_program(
        program.python, program.bind, arguments, program.loc, False, "traced"
    ).source
    assert source.labels[0] == ""
    numbers = [int(each) for each in re.findall(r"phase = (\d+)  #", source.text)]
    assert numbers == list(range(1, len(source.labels)))
    for label in " ".join(source.labels[1:]).split():
        assert f"def {label}(me, threads, blocks" in source.text


def test_programs_that_are_not_traced_have_no_labels():
    assert compiled(ALGORITHMS["bfs"], 0).source.labels == ()


def test_place_of_records_is_free():
    assert tracing.TRACED not in PLACES.values()
    assert max(PLACES.values()) < 192
