"""docs/benchmarks.md: its tables and pictures are those of the JSON, and its losses are bold."""

from __future__ import annotations

import json

import pytest

from bench.suite_rows import SuiteRow, digits
from docs import build_benchmarks as report
from docs.build_benchmarks import Figures

MACHINE = {
    "cores": 2,
    "processor": "a processor",
    "load_average": 0.5,
    "date": "2026-11-22",
    "commit": "0123456789abcdef",
    "versions": {"numpy": "2.4", "networkit": None},
}
PAGE = (
    "above\n<!-- cpu: begin -->\nold\n<!-- cpu: end -->\n<!-- cuda: begin -->\n<!-- cuda: end -->\n"
    "<!-- growth: begin -->\n<!-- growth: end -->\n"
)


def kept(path, rows, date="2026-11-22 10:00:00", tiny=False):
    held = [row.report() | {"date": date, "commit": "x"} for row in rows]
    options = {"target": rows[0].target, "tiny": tiny, "rounds": 10}
    head = {"machine": MACHINE, "study": "suite", "options": options}
    path.write_text(json.dumps({**head, "rows": held}))
    return path


def rows():
    peers = {"scipy": [4.0], "networkit": [1.0]}
    return [
        SuiteRow("sssp", "road", "cpu", suites=["gap"], all_ms=[2.0], peers_ms=peers),
        SuiteRow("bfs", "road", "cpu", suites=["gap"], all_ms=[2.0], figures_ms={"GAP": 4.0}),
        SuiteRow("bfs_Q", "rmat", "cpu", "stand-in", ["medusa"], error="no room"),
    ]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(report, "README", tmp_path / "readme.md")
    report.README.write_text("<!-- claims: begin -->\n<!-- claims: end -->\n")
    monkeypatch.setattr(report, "PICTURES", tmp_path / "pictures")
    report.PAGE.write_text(PAGE)
    return tmp_path


def test_committed_page_is_current():
    figures = Figures(report.of_record())
    assert report.stale(figures) == [], report.REMEDY


def test_page_shows_every_row_and_every_loss(place):
    file = kept(place / "suite-cpu.json", rows())
    assert report.main([str(file)]) == 0
    text = report.PAGE.read_text()
    assert text.startswith("above\n")
    assert "old" not in text
    assert "| road | BFS | 2.00 | - |  |  |  | 4.00 |  |  | 0.50 of GAP |" in text
    assert "| road | SSSP | 2.00 | - | 4.00 | **1.00** |  |  |  |  | 2.00 of networkit |" in text
    assert "| rmat (stand-in) | BFS-Q | no room |" in text
    assert "3 rows; in 1 of them" in text
    assert "| GAP | 0.50 (of 1) | 0.50 (of 1) |  |" in text
    assert "2 cores of a processor" in text
    assert "There are no figures of a GPU" in text
    readme = " ".join(report.README.read_text().split())
    assert "On cores emv's time is 1.00 of the best peer's" in readme
    assert "over 2 rows that a peer has; 1 of all 3 rows are lost" in readme
    assert "GPU" not in readme
    assert (report.PICTURES / "suite-cpu.svg").stat().st_size < 60_000
    widths = {line.count("|") for line in text.splitlines() if line.startswith(("| road", "| rm"))}
    assert len(widths) == 1


def test_what_is_stale_is_told(place, capsys):
    file = kept(place / "suite-cpu.json", rows())
    assert report.main([str(file)]) == 0
    assert report.main([str(file), "--check"]) == 0
    faster = rows()
    faster[0].all_ms = [0.5]
    kept(file, faster)
    assert report.main([str(file), "--check"]) == 1
    said = capsys.readouterr().out
    assert "not current: the figures of page.md" in said
    assert "not current: suite-cpu.svg" in said


def test_a_target_has_one_file(place, capsys):
    files = [kept(place / f"suite-{name}.json", rows()) for name in "ab"]
    assert report.main(list(map(str, files))) == 2
    assert "suite-b.json: there is another file of cores" in capsys.readouterr().err


def test_growth_has_a_table_and_a_picture(place):
    row = {"target": "cpu", "problem": "bfs", "scale": 14, "num_arcs": 1000, "ms": 0.002}
    more = {"peak_bytes": 4000, "planned_bytes": 4100, "fault": ""}
    wrong = {**row, **more, "problem": "sssp", "fault": "no"}
    head = {"target": "cpu", "tiny": False, "machine": MACHINE}
    file = place / "growth-cpu.json"
    file.write_text(json.dumps({**head, "rows": [row | more, wrong]}))
    assert report.main([str(file)]) == 0
    assert "| 1,000 | 2 (4.0 of 4.1) | WRONG |  |  |  |  |" in report.PAGE.read_text()
    assert "2 cores of a processor" in report.PAGE.read_text()
    assert (report.PICTURES / "growth.svg").exists()
    assert report.main([str(file), "--check"]) == 0
    head["machine"] = {**MACHINE, "commit": "another"}
    file.write_text(json.dumps({**head, "rows": [wrong]}))
    assert report.main([str(file), "--check"]) == 1


def test_rows_of_a_gpu_show_all_times(place):
    row = SuiteRow("bfs", "road", "cuda", suites=["gap"], all_ms=[2.0], all_call_ms=[3.0])
    row.all_result_ms, row.all_whole_ms, row.by_hand_ms = [4.0], [50.0], {"merrill": 1.0}
    row.figures_ms = {"Gunrock": 354.0}
    assert report.main([str(kept(place / "suite-cuda.json", [row]))]) == 0
    line = (
        "| road | BFS | 2.00 | - | 3.00 | 4.00 | 50.00 | Gunrock 354 | 0.01 of Gunrock | **2.00** |"
    )
    assert line in report.PAGE.read_text()


def test_tiny_graphs_are_refused(place, capsys):
    assert report.main([str(kept(place / "suite-t.json", rows(), tiny=True))]) == 2
    assert "tiny" in capsys.readouterr().err
    assert digits([1.23456789]) == [1.2346]
