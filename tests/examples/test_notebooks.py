"""The notebooks run from top to bottom in a kernel of their own, and are kept without outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted(
    (Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"),
)


def printed(cell):
    """Return what a cell prints; where the machine is busy, a bar of progress goes beside it."""
    return "".join(out.text for out in cell.outputs if out.get("name") == "stdout")


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["first_algorithm"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 3
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


def test_first_algorithm_runs(tmp_path):
    (path,) = NOTEBOOKS
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "Graph(6 vertices, 6 edges, undirected" in str(shown[0].outputs)
    assert "array([0, 0, 3, 3, 3, 3]" in str(shown[4].outputs)
    assert "crossing 5 is 3.0 from station 3\n" in printed(shown[5])
    assert printed(shown[5]).endswith("rounds, converged\n")
    assert printed(shown[6]) == "right at 1050 crossings\n"
    assert "nearest_station" in printed(shown[7])
