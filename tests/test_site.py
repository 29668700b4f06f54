"""The site's pages: every link of the documents leads to one, without building the HTML."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s#:]+\.md)(?:#[^)\s]*)?\)")


@pytest.fixture(scope="module")
def build_site():
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs" / "build_site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(build_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build_site.Site(folder).write()
    return folder


def test_every_link_leads_to_a_page(pages):
    found = 0
    for page in pages.rglob("*.md"):
        if "source" in page.relative_to(pages).parts:
            continue
        text = re.sub(r"^ *```.*?^ *```|`[^`\n]+`", "", page.read_text(), flags=re.S | re.M)
        for target in LINK.findall(text):
            assert (page.parent / target).is_file(), f"{page.name} links {target}"
            found += 1
    assert found > 300


def test_every_page_is_in_the_contents(pages):
    listed = (pages / "index.md").read_text() + (pages / "reference/index.md").read_text()
    for page in pages.rglob("*.md"):
        name = page.relative_to(pages)
        if name.parts[0] != "source" and page.name != "index.md":
            assert name.as_posix() in listed or name.name in listed, name


def test_sections_of_the_reference_are_pages(build_site, pages):
    text = "# All\n\nhead\n\n## One\n\n```sh\n## no heading\n```\n\n### `f(x)`\n\n## Two words\n"
    assert [title for title, _ in build_site.sections_of(text)] == ["All", "One", "Two words"]
    assert build_site.headings_of(text)["fx"] == "one"
    assert (pages / "reference" / "algorithms.md").read_text().startswith("# Algorithms")


def test_a_notebook_is_a_page(build_site):
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["1\n"]}]},
    ]
    made = build_site.notebook_text(json.loads(json.dumps({"cells": cells})))
    assert made == "# Title\ntext\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n"


def test_a_page_that_links_no_file_is_refused(build_site, tmp_path):
    site = build_site.Site(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"emv/gone\.py"):
        site.put(Path("x.md"), "[gone](../emv/gone.py)", ROOT / "docs" / "x.md")
