"""``emv view``: what is saved, what is shown, and what is refused before the file is read."""

from __future__ import annotations

import json
import re

import pytest

from emv.cli import main, view_command

FAST = ["--device", "python", "--rounds", "2"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "ring.csv"
    path.write_text("from,to\n" + "".join(f"n{k},n{(k + 1) % 6}\n" for k in range(6)))
    return str(path)


def facts_of(page):
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1])


def test_a_page_is_saved(file, tmp_path, capsys):
    out = tmp_path / "ring.html"
    more = ["--color", "pagerank", "--values", "components,louvain", "--title", "A ring"]
    assert main(["view", file, "--out", str(out), "--undirected", *more, *FAST]) == 0
    assert "6 vertices, 6 edges, undirected" in (told := capsys.readouterr().out)
    assert "saved to" in told
    facts = facts_of(page := out.read_text())
    assert "<h1>A ring</h1>" in page
    assert (facts["color"], facts["size"]) == ("pagerank", None)
    assert [each["name"] for each in facts["values"]] == ["components", "louvain", "pagerank"]
    assert facts["values"][0]["kinds"] == ["n0"]


def test_without_a_name_a_browser_is_asked(file, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(view_command.webbrowser, "open", asked.append)
    assert main(["view", file, "--json", *FAST]) == 0
    told = json.loads(capsys.readouterr().out)
    assert asked == [view_command.Path(told["out"]).as_uri()]
    assert "<h1>ring.csv</h1>" in view_command.Path(told["out"]).read_text()


def test_what_is_near_a_vertex_as_an_image(file, tmp_path, capsys):
    out = tmp_path / "ring.png"
    near = ["--around", "n2", "--hops", "1", "--names", "2", "--json"]
    assert main(["view", file, "--out", str(out), *near, *FAST]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["shown_vertices"], told["shown_edges"]) == (3, 2)
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--color", "pagerunk"], "pagerunk"),
        (["--color", "bfs"], "--source"),
        (["--around", "n7"], "--around 'n7' is no vertex"),
        (["--hops", "2"], "--around V"),
        (["--names", "2"], "for images"),
        (["--out", "ring.jpg"], "none of FILE.html, FILE.png, FILE.svg, FILE.pdf"),
        (["--out", "nowhere/ring.html"], "no folder nowhere"),
        (["--out", "ring.png", "--title", "A ring"], "for pages"),
        (["--weight", "kg"], "kg"),
    ],
    ids=str,
)
def test_mistakes_are_one_line(file, more, says, capsys):
    assert main(["view", file, *more, *FAST]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1
