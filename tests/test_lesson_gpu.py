"""The script that fills lesson 4 with what a GPU printed."""

from __future__ import annotations

import pytest
from backends_available import BACKENDS

from docs.build_lesson_gpu import BEGIN, END, PAGE, program_of, shown, with_output


def test_output_replaces_what_was_there():
    page = f"before\n{BEGIN}old\n{END}after\n"
    once = with_output(page, "new\n")
    assert once == f"before\n{BEGIN}\n```text\nnew\n```\n\n{END}after\n"
    assert with_output(once, "new\n") == once


def test_page_has_the_marks_once_and_in_order():
    text = PAGE.read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    assert text.index(BEGIN) < text.index(END)


@pytest.mark.skipif("cpu" not in BACKENDS, reason="only compiled runs have a profile")
def test_program_of_the_page_is_explained_and_profiled(tmp_path):
    lesson = program_of(PAGE.read_text(encoding="utf-8"), str(tmp_path))
    printed = shown(lesson, 20, "cpu")
    assert "launch 3  drive_max_arrive over active; either" in printed
    assert "charge_left on cpu" in printed
    assert "memory" not in printed
