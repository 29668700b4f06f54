"""The head of the bench's commands: options, lines, JSON and status follow from a function."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.machine import ROOT
from bench.study import run


def sizes(
    scale: int = 3, share: float | None = None, names: tuple[str, ...] = (), deep: bool = False
):
    """Tell sizes.

    More of it.
    """
    for name in names or ("a", "b"):
        yield {"name": name, "scale": scale, "share": share or 0.5, "deep": str(deep)}


def wrong(where: str = "here"):
    """Be wrong."""
    yield {"where": where, "ms": 1.0, "fault": "2 differ"}


def late():
    """Be late."""
    yield {"ms": 1.0, "missed": True}
    yield {"ms": 2.0}


@pytest.mark.paper("S152")
def test_options_have_the_types_of_their_defaults(tmp_path, capsys):
    file = tmp_path / "new" / "rows.json"
    given = ["--scale", "7", "--share", "0.250", "--names", "x", "y", "--deep", "--json", str(file)]
    assert run(sizes, arguments=given) == 0
    kept = json.loads(file.read_text())
    assert kept["options"] == {"scale": 7, "share": 0.25, "names": ["x", "y"], "deep": True}
    assert {"processor", "cores", "threads", "commit", "date"} <= set(kept["machine"])
    assert [row["name"] for row in kept["rows"]] == ["x", "y"]
    assert kept["rows"][0]["share"] == 0.25
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "y",
        "True",
        "scale",
        "7",
        "share",
        "0.250",
    ]


def test_studies_of_a_module_are_named(capsys):
    assert run(sizes, wrong, arguments=["wrong", "--where", "there"]) == 1
    assert capsys.readouterr().out == "there           ms 1.00  WRONG: 2 differ\n"
    with pytest.raises(SystemExit):
        run(sizes, wrong, arguments=[])
    with pytest.raises(SystemExit):
        run(sizes, wrong, arguments=["sizes", "--help"])
    assert "Tell sizes.\n\nMore of it." in capsys.readouterr().out


def test_a_limit_that_is_missed_is_a_failure_and_time_may_end(capsys):
    assert run(late, arguments=[]) == 1
    assert "MISSED" in capsys.readouterr().out
    assert run(late, arguments=["--limit", "1e-9"]) == 1
    assert "stopped by --limit after 1 rows" in capsys.readouterr().out


def placed(where: Path, only: tuple[str, ...] = ("a", "b"), limit: float = 9.0):
    """Take a place, and its own limit."""
    for name in only:
        yield {"name": name, "ms": limit, "line": f"{where.name}: {name}"}
    yield {"line": "the end"}


def test_places_choices_and_lines(tmp_path, capsys):
    file = tmp_path / "rows.json"
    given = ["here", "--json", str(file)]
    assert run(placed, arguments=given) == 0
    assert capsys.readouterr().out.splitlines() == ["here: a", "here: b", "the end"]
    assert "line" not in json.loads(file.read_text())["rows"][0]
    with pytest.raises(SystemExit):
        run(placed, arguments=["here", "--only", "c"])
    assert run(placed, arguments=[*given, "--only", "b", "--limit", "7"], key=("name",)) == 0
    rows = json.loads(file.read_text())["rows"]
    assert [(row["name"], row["ms"]) for row in rows] == [("a", 9.0), ("b", 7.0)]
    assert rows[1]["commit"]


def test_annotations_may_be_types_as_in_a_file_without_the_future(capsys):
    """As a reader of bench/README.md writes one."""
    told = {}
    exec(
        compile(
            'def doubled(scale: int = 3):\n    yield {"twice": 2 * scale}',
            "<a file>",
            "exec",
            0,
            True,
        ),
        told,
    )
    assert run(told["doubled"], arguments=["--scale", "7"]) == 0
    assert capsys.readouterr().out == "twice 14\n"


def test_the_program_of_bench_readme_is_timed(tmp_path):
    page = (ROOT / "bench" / "README.md").read_text("utf-8")
    (tmp_path / "mine.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    given = ["mine.py", "--graph", "rmat6", "--rounds", "1", "--json", "rows.json"]
    place = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    subprocess.run([sys.executable, *given], check=True, capture_output=True, **place)
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert [row["fault"] for row in rows] == ["", ""]
    assert all(row["ms"] > 0 for row in rows)
