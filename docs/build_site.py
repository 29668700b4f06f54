"""Build the site of HTML pages from README, docs/ and the texts of the package, with Sphinx.

Usage: python docs/build_site.py [--folder build/site]      wants the extra ``docs``

The pages lie where a reader of the repository finds them, and link each other as files; this lays
them out once more for Sphinx: README is the front page, the sections of the reference are pages of
their own, a notebook is a page, and whatever a page links outside docs/ (a module, a test) becomes
a page with its text, numbered by lines. A link that leads nowhere is a warning, and every warning
an error.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
LINK = re.compile(r"(?<=\]\()([^)\s#]+)?(#[^)\s]+)?(?=\))")
CODE = re.compile(r"(^ *```.*?^ *```|``[^`]+``|`[^`]+`)", re.DOTALL | re.MULTILINE)
REFERENCE = "reference.md"
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".cfg": "ini"}
PARTS = {  # of the front page's contents; what begins with "*" is every page of a folder
    "Learn": [
        "*lessons",
        "notebooks/first_algorithm.md",
        "command_line.md",
        "gallery.md",
        "coming_from.md",
    ],
    "Use": [
        "files.md",
        "user_files.md",
        "expectations.md",
        "networkx.md",
        "networkx_functions.md",
        "datasets.md",
        "benchmarks.md",
        "stability.md",
    ],
    "Reference": ["*reference"],
    "Papers": ["gascl.md"],
    "Design": ["*design"],
    "Project": list(BESIDE),
}


class Site:
    """The pages of the site, laid out in a folder.

    Parameters
    ----------
    folder : Path
        Where the pages go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: set[Path] = set()  # files outside docs/ that pages link
        self.headings = headings_of((DOCS / REFERENCE).read_text(encoding="utf-8"))

    def write(self) -> None:
        """Write all pages."""
        for page in sorted(DOCS.rglob("*.md")):
            name = page.relative_to(DOCS)
            if name.as_posix() not in (REFERENCE, "words.md"):
                self.put(name, page.read_text(encoding="utf-8"), page)
        for name in BESIDE:
            self.put(Path(name), (ROOT / name).read_text(encoding="utf-8"), ROOT / name)
        for notebook in (DOCS / "notebooks").glob("*.ipynb"):
            name = notebook.relative_to(DOCS).with_suffix(".md")
            self.put(
                name, notebook_text(json.loads(notebook.read_text(encoding="utf-8"))), notebook
            )
        self.write_reference()
        shutil.copytree(DOCS / "pictures", self.folder / "pictures")
        shutil.copytree(DOCS / "site", self.folder, dirs_exist_ok=True)
        readme = ROOT / "README.md"
        self.put(Path("index.md"), readme.read_text(encoding="utf-8") + self.contents(), readme)
        for text in sorted(self.texts):
            self.put_text(text)

    def put(self, name: Path, text: str, origin: Path) -> None:
        """Write a page; its links are those of the file that it comes from."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        pieces = CODE.split(text)  # what is code has no links
        pieces[::2] = [self.linked(each, place, origin) for each in pieces[::2]]
        place.write_text("".join(pieces), encoding="utf-8")

    def linked(self, text: str, place: Path, origin: Path) -> str:
        """Return a text whose links lead to pages of the site."""

        def link(match: re.Match[str]) -> str:
            target, anchor = match[1] or "", match[2] or ""
            if (not target and origin != DOCS / REFERENCE) or ":" in target:
                return match[0]
            found = self.place_of((origin.parent / target).resolve() if target else origin, anchor)
            return os.path.relpath(found, place.parent) + (anchor if found.suffix == ".md" else "")

        return LINK.sub(link, text)

    def place_of(self, file: Path, anchor: str) -> Path:
        """Return the page that stands for a file of the repository."""
        if file == DOCS / REFERENCE:
            return self.folder / "reference" / f"{self.headings.get(anchor[1:], 'index')}.md"
        if file == ROOT / "README.md":
            return self.folder / "index.md"
        if file.suffix == ".ipynb":
            file = file.with_suffix(".md")
        if file.is_relative_to(DOCS) and file.suffix != ".py":
            return self.folder / file.relative_to(DOCS)
        if file.name in BESIDE:
            return self.folder / file.name
        if not file.is_file():
            raise FileNotFoundError(f"a page links {file.relative_to(ROOT)}, which is no file")
        self.texts.add(file)
        return self.folder / "source" / f"{file.relative_to(ROOT)}.md"

    def put_text(self, file: Path) -> None:
        """Write the page of a file that is no page: its text."""
        name = file.relative_to(ROOT)
        place = self.folder / "source" / f"{name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        language = LANGUAGES.get(file.suffix, "text")
        lines = ["---", "orphan: true", "---", f"# {name}", ""]
        lines += ["``````{code-block} " + language, ":linenos:", ""]
        text = file.read_text(encoding="utf-8").rstrip("\n")
        place.write_text("\n".join([*lines, text, "``````", ""]), encoding="utf-8")

    def write_reference(self) -> None:
        """Write a page for every section of the reference, and one of them all."""
        origin = DOCS / REFERENCE
        head, *sections = sections_of(origin.read_text(encoding="utf-8"))
        names = []
        for title, text in sections:
            names.append(f"{slug(title)}.md")
            raised = re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE)
            self.put(Path("reference") / names[-1], raised, origin)
        listed = "\n".join(["", "```{toctree}", *names, "```", ""])
        self.put(Path("reference/index.md"), head[1] + listed, origin)

    def contents(self) -> str:
        """Return the lists of pages that the front page ends with."""
        lines = []
        for title, names in PARTS.items():
            lines += ["", "```{toctree}", ":hidden:", f":caption: {title}", ""]
            for name in names:
                lines += self.pages_of(name[1:]) if name.startswith("*") else [name]
            lines.append("```")
        return "\n".join(lines) + "\n"

    def pages_of(self, folder: str) -> list[str]:
        """Return the pages of a folder, its index alone if that lists the others, first."""
        names = sorted(page.name for page in (self.folder / folder).glob("*.md"))
        if "index.md" in names:
            names = ["index.md", *sorted(page.name for page in (DOCS / folder).glob("*.md"))]
        return [f"{folder}/{name}" for name in names]


def slug(title: str) -> str:
    """Return a heading as the end of a link."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def sections_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the title and text of what comes before a page's sections, and of every section."""
    pieces = CODE.split(text)
    marked = "".join(each if k % 2 else re.sub(r"^(## )", "\0\\1", each, flags=re.MULTILINE)
                     for k, each in enumerate(pieces))  # fmt: skip
    for piece in marked.split("\0"):
        title = piece.partition("\n")[0].lstrip("# ")
        yield title, piece


def headings_of(text: str) -> dict[str, str]:
    """Return the section that every heading of the reference is in, both as ends of links."""
    found = {}
    for title, section in sections_of(text):
        for heading in re.findall(r"^#+ (.*)$", section, flags=re.MULTILINE):
            found.setdefault(slug(heading.replace("`", "")), slug(title))
    return found


def notebook_text(notebook: dict) -> str:
    """Return a notebook as a page: its texts, its code, and what that printed."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            said = "".join(output.get("text", output.get("data", {}).get("text/plain", ())))
            parts += [f"```text\n{said.rstrip()}\n```"] if said.strip() else []
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Lay out the pages and let Sphinx build them; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "site")
    folder = parser.parse_args(arguments).folder.resolve()
    pages, made = folder / "pages", folder / "html"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    Site(pages).write()
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    done = subprocess.run([*command, str(pages), str(made)], check=False)
    print(f"{made / 'index.html'}: {sum(1 for _ in made.rglob('*.html'))} pages")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
