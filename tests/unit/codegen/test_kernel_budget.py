"""No kernel for a GPU takes more than `tests/kernel_budget.json` allows.

Where a change is worth what it costs: pytest --update-golden, and commit the file.
"""

from __future__ import annotations

import json

import pytest

from emv.backends.cuda.assembly import disassembler

pytest.importorskip("numba_cuda")
pytest.importorskip("cuda.pathfinder")

import kernel_budget

pytestmark = pytest.mark.skipif(disassembler() is None, reason="nvdisasm is not installed")


@pytest.fixture(scope="module")
def found(request, tmp_path_factory) -> dict[str, dict[str, int]]:
    """Return what every kernel takes now."""
    measured = kernel_budget.measure_all(tmp_path_factory.mktemp("cubins"))
    if request.config.getoption("--update-golden"):
        kernel_budget.write(measured)
    return measured


@pytest.fixture(scope="module")
def budget(found) -> dict[str, dict[str, int]]:
    """Return the budget, if these compilers are those it was made with."""
    kept = json.loads(kernel_budget.FILE.read_text())
    made_with = kept.pop("compilers")
    if made_with != kernel_budget.compilers():
        pytest.skip(f"the budget holds for {made_with}")
    return kept


def test_every_program_has_a_budget(budget):
    assert set(budget) == set(kernel_budget.PROGRAMS)


@pytest.mark.parametrize("name", kernel_budget.PROGRAMS)
def test_within_budget(name, found, budget):
    above = kernel_budget.excess(found[name], budget[name])
    assert not above, f"{name} takes more than tests/kernel_budget.json allows: {'; '.join(above)}"


@pytest.mark.parametrize("name", kernel_budget.PROGRAMS)
def test_nothing_is_spilled_or_called_by_address(name, found):
    assert found[name]["registers"] <= 64  # two blocks of 512 threads on a multiprocessor
    assert found[name].get("CALL", 0) <= 24  # divisions, which stand in every form of a pull


@pytest.mark.parametrize("name", kernel_budget.PROGRAMS)
def test_lanes_come_to_barriers_together(name, found):
    assert found[name]["strays"] == 0
