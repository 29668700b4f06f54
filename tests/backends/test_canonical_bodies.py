"""Programs whose bodies are printed in their one form end as the eager backend ends.

Kernels are printed from bodies as they are written. Here they are printed from the canonical ones,
so that whatever the form changed would show.
"""

from __future__ import annotations

import sys

import pytest
from interpreted_cpu import interpreted
from random_choices import seeded
from random_programs import case_of
from random_runs import compare

from emv.lang.effects import find_effects
from emv.lang.functions import Function
from emv.passes.canonical import canonical

NUM_PROGRAMS = 100
WRITTEN = ("eager", "backends/python", "/lang/")  # files that read bodies as they are written


@pytest.fixture
def in_one_form(monkeypatch):
    """Let passes and code generation read canonical bodies; return which differ from the text."""
    kept, changed = {}, []

    def asked_by_text() -> bool:
        asking = sys._getframe(2).f_code.co_filename
        return any(each in asking for each in WRITTEN)

    def body(function):
        written = function.analysis.body
        if asked_by_text():
            return written
        if id(written) not in kept:
            kept[id(written)] = written, canonical(written)
            changed.append(kept[id(written)][1].statements != written.statements)
        return kept[id(written)][1]

    def effects(function):
        if asked_by_text():
            return function.analysis.effects
        return find_effects(canonical(function.analysis.body))

    monkeypatch.setattr(Function, "body", property(body))
    monkeypatch.setattr(Function, "effects", property(effects))
    return changed


def test_programs_in_one_form(in_one_form, tmp_path):
    with interpreted():
        for number in range(NUM_PROGRAMS):
            case = case_of(seeded(number))
            assert not [each.wrong for each in compare(case, tmp_path, ("cpu",)) if each.wrong]
    assert sum(in_one_form) > len(in_one_form) // 2
