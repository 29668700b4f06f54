"""Measure the papers' graphs, or what stands in for them, beside the figures that are printed.

Usage: python docs/build_datasets.py [NAME ...] [--scale 1] [--page docs/datasets.md]

Prints the table of `emv.datasets.table`. With ``--page`` it also writes the page about the graphs:
the table, how each was made, where the real files are to be had. Files in ``$EMV_DATA`` are used
where they are; every graph that is not the paper's own is marked as a stand-in.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from emv import datasets
from emv.datasets.catalogue import CATALOGUE
from emv.datasets.tables import measure

INTRO = """# The papers' graphs

Written by `python docs/build_datasets.py --page docs/datasets.md`: what `emv.datasets.load` gives
for each graph of Medusa's Table 4 and Figure 2 and of GasCL's Figure 3, with the figures that the
papers print below the measured ones. "Real" is the published file, "generated" a graph made by the
recipe that the paper gives, **"stand-in" another graph**: made to have the vertices, the arcs, the
largest degree, about the deviation and the class of diameter of the real one. Results on a stand-in
are not results on the graph.

Degrees are out-degrees, with their population deviation. The diameter is a lower bound in the
largest component, edges taken both ways; the last column is that component's share of the vertices.
Printed diameters are those of SNAP.
"""
FILES = """## The real files

Put them into the folder `$EMV_DATA` (by default `~/.cache/emv/data`), packed or not; matrices come
in an archive, of which the `.mtx` is needed. The published files' checksums are not recorded here
where the column says unknown: such a file is accepted if it has the counts below, and
`Dataset.sha256` tells which one it was. emv fetches nothing.

| graph | file | vertices | arcs | SHA-256 | from |
|---|---|---|---|---|---|"""


def page(table: datasets.Table, seconds: dict[str, float]) -> str:
    """Return the whole page."""
    parts = [INTRO, str(table), "", "## How each was made", ""]
    for row in table.rows:
        parts += [
            f"**{row.name}** ({row.title}): {row.kind}, {seconds[row.name]:.0f} s. {row.about}",
            "",
        ]
    parts.append(FILES)
    for name, entry in CATALOGUE.items():
        parts += [
            f"| {name} | `{file.name}` | {file.num_vertices:,} | {file.num_arcs:,} "
            f"| {file.sha256 or 'unknown'} | {file.url} |"
            for file in entry.files
        ]
    return "\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the table, and write what is asked for."""
    parser = argparse.ArgumentParser(description="Measure the papers' graphs or their stand-ins.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(datasets.names()))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--page", type=Path, help="write the page there")
    options = parser.parse_args(arguments)
    rows, seconds = [], {}
    for name in options.names or datasets.names():
        started = time.perf_counter()
        found = datasets.load(name, scale=options.scale)
        seconds[name] = time.perf_counter() - started
        rows.append(measure(found))
        print(f"{name}: {found.kind}, {seconds[name]:.1f} s", file=sys.stderr, flush=True)
    table = datasets.Table(rows)
    print(table)
    if options.page:
        options.page.write_text(page(table, seconds), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
