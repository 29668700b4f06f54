"""Show what emv says of malformed files: a line for each, the error or what was read.

Usage: python -m tests.stress.malformed [FOLDER ...] [--json FILE]

Without a folder the files are those of `malformed_files`; with some, every file below them is read.
The outcome of a file that is read is its vertices and edges. Exits 1 when anything else than
`GraphFormatError` comes out, or a made file is not treated as it should be.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.machine import describe_machine
from emv.errors import GraphFormatError
from emv.graph.io import read
from tests.stress.malformed_files import Case, cases


@dataclass(frozen=True)
class Row:
    """A file and what came of it: ``read``, ``refused`` or ``failed``; ms is milliseconds."""

    file: str
    outcome: str
    said: str
    line: int | None
    ms: float
    as_expected: bool = True

    def text(self) -> str:
        """Return the line to print."""
        mark = "" if self.as_expected else "  UNEXPECTED"
        return f"{self.file:<48} {self.outcome:<8} {self.said[:160]}{mark}"


def row_of(path: Path, name: str) -> Row:
    """Read a file and return what came of it."""
    begin = time.perf_counter()
    line = None
    try:
        graph = read(path)
        outcome, said = "read", f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges"
    except GraphFormatError as error:
        outcome, line = "refused", error.line
        said = str(error).replace(f"{path.parent}/", "").splitlines()[0]
    except Exception as error:
        outcome, said = "failed", f"{type(error).__name__}: {error}"
    ms = round(1e3 * (time.perf_counter() - begin), 2)
    return Row(name, outcome, said, line, ms, outcome != "failed")


def row_of_case(case: Case, folder: Path) -> Row:
    """Write a made file, read it and compare."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    opened = folder / Path(case.opened).parts[0]
    row = row_of(opened, case.name)
    if case.refused is None:
        is_expected = row.outcome == "read"
    else:
        is_expected = row.outcome == "refused" and case.refused in row.said
        is_expected &= case.line is None or row.line == case.line
    return Row(row.file, row.outcome, row.said, row.line, row.ms, is_expected)


def rows_of(folders: list[Path]) -> list[Row]:
    """Return the rows of the files below some folders, or of the made ones."""
    if folders:
        paths = [(path, each) for each in folders for path in sorted(each.rglob("*"))]
        return [row_of(path, str(path.relative_to(at))) for path, at in paths if path.is_file()]
    rows = []
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row_of_case(case, Path(folder)))
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Print the rows; return 1 when one is not as it should be."""
    parser = argparse.ArgumentParser(description="Show what emv says of malformed files.")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--json", type=Path, help="also write the rows there")
    options = parser.parse_args(arguments)
    logging.getLogger("emv").setLevel(logging.ERROR)
    rows = rows_of(options.folders)
    print("\n".join(row.text() for row in rows))
    counts = {
        kind: sum(row.outcome == kind for row in rows) for kind in ("read", "refused", "failed")
    }
    print(f"{len(rows)} files: " + ", ".join(f"{number} {kind}" for kind, number in counts.items()))
    if options.json:
        report = {"machine": describe_machine(), "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(not all(row.as_expected for row in rows))


if __name__ == "__main__":
    sys.exit(main())
