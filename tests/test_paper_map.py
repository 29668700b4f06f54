"""The page of the papers' rows is made of markers that say what they mean."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

@pytest.mark.paper("S2", "S1")
@pytest.mark.parametrize("x", [1])
def test_a(x): ...

class TestAll:
    @pytest.mark.paper("S2")
    def test_b(self): ...

def test_c(): ...
"""


@pytest.fixture(scope="module")
def paper_map():
    spec = importlib.util.spec_from_file_location("paper_map", ROOT / "docs" / "build_paper_map.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def files(tmp_path):
    def write(text, place="tests/test_x.py"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_markers_are_read(paper_map, files, tmp_path):
    tests = paper_map.shown_by([files(TESTS)], {"S1", "S2", "S3"}, tmp_path)
    assert tests["S1"] == ["tests/test_x.py::test_a"]
    assert tests["S2"] == ["tests/test_x.py::test_a", "tests/test_x.py::test_b"]
    assert paper_map.missing(tests) == ["S3"]


def test_a_test_that_needs_a_gpu_is_not_enough(paper_map, files, tmp_path):
    on_gpu, beside = files(TESTS, "tests/gpu/test_x.py"), files(TESTS, "tests/test_x.py")
    assert sorted(paper_map.missing(paper_map.shown_by([on_gpu], {"S1", "S2"}, tmp_path))) == [
        "S1",
        "S2",
    ]
    assert paper_map.missing(paper_map.shown_by([on_gpu, beside], {"S1", "S2"}, tmp_path)) == []


@pytest.mark.parametrize("marker", ['paper("S9")', "paper(1)", "paper(*ROWS)", "paper()", "paper"])
def test_a_marker_that_names_no_row_is_refused(paper_map, files, tmp_path, marker):
    path = files(f"@pytest.mark.{marker}\ndef test_a(): ...\n")
    with pytest.raises(paper_map.MarkerError, match="test_a"):
        paper_map.shown_by([path], {"S1"}, tmp_path)


def test_a_helper_shows_nothing(paper_map, files, tmp_path):
    path = files('@pytest.mark.paper("S1")\ndef helper(): ...\n')
    with pytest.raises(paper_map.MarkerError, match="helper"):
        paper_map.shown_by([path], {"S1"}, tmp_path)


def test_what_is_stale_or_missing_is_an_exit_status(paper_map, monkeypatch, tmp_path, capsys):
    rows = tmp_path / "rows.toml"
    rows.write_text('[S1]\nname = "a"\nwords = "b"\nopen = "c"\n[S2]\nname = "d"\nwords = "e"\n')
    monkeypatch.setattr(paper_map, "ROWS", rows)
    monkeypatch.setattr(paper_map, "ROOT", tmp_path)
    monkeypatch.setattr(paper_map, "PAGE", tmp_path / "page.md")
    shown = {"S1": ["tests/test_x.py::test_a"], "S2": []}
    monkeypatch.setattr(paper_map, "shown_by", lambda paths, known: shown)
    assert paper_map.main(["--check"]) == 1
    assert paper_map.main([]) == 0
    assert paper_map.main(["--check"]) == 1
    assert "no test shows S2" in capsys.readouterr().out
    shown["S2"] = shown["S1"]
    assert paper_map.main(["--check"]) == 1
    assert "page.md is not current" in capsys.readouterr().out
    assert paper_map.main([]) == paper_map.main(["--check"]) == 0
    assert "| S1 | a | b. *Open:* c | [test_x.py](../../tests/test_x.py) `test_a` |" in (
        (tmp_path / "page.md").read_text()
    )


def test_every_row_has_a_name_and_words(paper_map):
    rows = tomllib.loads(paper_map.ROWS.read_text(encoding="utf-8"))
    numbers = [int(row.removeprefix("S")) for row in rows]
    assert numbers == sorted(set(numbers))
    assert set(range(1, 57)) <= set(numbers)  # the language and one device; then what is begun
    assert all(
        {"name", "words"} <= set(said) <= {"name", "words", "open"} for said in rows.values()
    )
