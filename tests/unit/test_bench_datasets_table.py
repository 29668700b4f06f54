"""The table of the papers' graphs, its page and its figures."""

from __future__ import annotations

import json

from bench import datasets_table
from emv.config import config


def test_page_and_figures(tmp_path, capsys):
    page, figures = tmp_path / "page.md", tmp_path / "figures.json"
    given = ["email-enron", "rmat", "--scale", "0.01", "--page", str(page), "--json", str(figures)]
    with config.using(data=tmp_path):
        assert datasets_table.main(given) == 0
    printed = capsys.readouterr().out
    text = page.read_text()
    assert printed in text
    assert "| rmat | generated | 10,000 | 160,000 |" in printed
    assert "**email-enron** (email-Enron, GasCL's Figure 3): stand-in, " in text
    assert "| wiki-talk | `wiki-Talk.txt.gz` | 2,394,385 | 5,021,410 | unknown | https://" in text
    rows = json.loads(figures.read_text())["rows"]
    assert [row["kind"] for row in rows] == ["stand-in", "generated"]
    assert rows[1]["stats"]["num_edges"] == 160_000
    assert rows[0]["load_seconds"] > 0
