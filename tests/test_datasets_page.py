"""The table of the papers' graphs, its page and its figures."""

from __future__ import annotations

from docs import build_datasets
from emv.config import config


def test_page_and_figures(tmp_path, capsys):
    page = tmp_path / "page.md"
    given = ["email-enron", "rmat", "--scale", "0.01", "--page", str(page)]
    with config.using(data=tmp_path):
        assert build_datasets.main(given) == 0
    printed = capsys.readouterr().out
    text = page.read_text()
    assert printed in text
    assert "| rmat | generated | 10,000 | 160,000 |" in printed
    assert "**email-enron** (email-Enron, GasCL's Figure 3): stand-in, " in text
    assert "| wiki-talk | `wiki-Talk.txt.gz` | 2,394,385 | 5,021,410 | unknown | https://" in text
