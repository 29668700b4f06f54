"""Draw the pictures of lesson 14: Fig. 2 of the paper on Medusa made again, and the page.

Usage: python docs/build_pictures.py

The graph is the sample in ``tests/data/dblp``; any other file is drawn by ``--file dblp.xml.gz``.
The picture of the page is taken where chromium and chromedriver are installed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import emv

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
GROUPS = "label_propagation"
DOTS = 80  # of an inch


def main() -> int:
    """Draw all."""
    parser = argparse.ArgumentParser(description="Draw the pictures of lesson 14.")
    parser.add_argument("--file", default=str(ROOT / "tests" / "data" / "dblp" / "sample.xml.gz"))
    parser.add_argument("--to", type=Path, default=PICTURES)
    parser.add_argument("--around", help="an author; by default who has written most")
    options = parser.parse_args()
    g = emv.read(options.file)
    most = int(np.argmax(g.vertices.papers)) if options.around is None else g.id_of(options.around)
    more = {"papers": g.vertices.papers}
    view = emv.viz.view(g, color=GROUPS, size="papers", values=more, weight="weight")
    view.draw(names=12).savefig(options.to / "coauthors.png", dpi=DOTS)
    take_page(view, options.to / "page.png")
    near = emv.viz.view(g, color="papers", size="papers", weight="weight", pos=view.positions)
    started = time.perf_counter()
    near.drill_down(most, hops=2)
    print(f"{near}: {1e3 * (time.perf_counter() - started):.0f} ms")
    near = emv.viz.view(near.graph, color="papers", size="papers", pos=laid_out(near))
    near.draw(names=25).savefig(options.to / "coauthors_near.png", dpi=DOTS)
    return 0


def laid_out(near: emv.viz.View) -> np.ndarray:
    """Return where what is near lies when it has had time to unfold."""
    start = {"pos": near.positions, "iterations": 200, "weight": "weight"}
    return emv.viz.layout(near.graph, "forceatlas2", **start)


def take_page(view: emv.viz.View, to: Path) -> None:
    """Take a picture of the page, if a browser is there."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import IS_THERE, Browser

    if not IS_THERE:
        print("there is no chromium, so the picture of the page stays")
        return
    with tempfile.TemporaryDirectory() as folder, Browser(1000, 640) as browser:
        view.html(page := Path(folder, "page.html"), title="Who wrote with whom")
        browser.open(page.as_uri())
        time.sleep(1)
        to.write_bytes(browser.screenshot())


if __name__ == "__main__":
    sys.exit(main())
