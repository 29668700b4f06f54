"""How many frames a second the page of a picture draws, in a browser without a screen.

Usage: python -m bench.page --vertices 100000 --edges 1000000

Needs chromium and chromedriver, which draw by software where there is no GPU. Prints the size of
the page, the seconds until it is there and until all edges are, frames that were drawn a second
while the picture moved, and the milliseconds of drilling down.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import emv
from emv import Graph

ROOT = Path(__file__).resolve().parents[1]
MOVE = """const done = arguments[arguments.length - 1], page = window.emvPage;
const { pen, camera } = page;
const draw = pen.draw, begun = performance.now();
let frames = 0;
pen.draw = (...given) => { frames++; return draw(...given); };
(function go() {
  camera.x += 3 / camera.zoom;
  page.moved();
  const ms = performance.now() - begun;
  if (ms < 5000) { requestAnimationFrame(go); return; }
  pen.draw = draw;
  done([frames * 1000 / ms, pen.budget.moving]);
})();"""
DRILL = """const begun = performance.now();
window.emvPage.drill(arguments[0], 2);
return [performance.now() - begun, window.emvPage.scene().list.length];"""


def clusters(vertices: int, edges: int) -> tuple[Graph, np.ndarray, np.ndarray]:
    """Return a graph of a hundred clusters, where its vertices lie, and the cluster of each."""
    draw = np.random.default_rng(0)
    cluster = np.sort(draw.integers(0, 100, vertices))
    middle = 10 * draw.standard_normal((100, 2))
    src = draw.integers(0, vertices, edges)
    dst = np.clip(src + draw.normal(0, vertices / 300, edges).astype(int), 0, vertices - 1)
    places = middle[cluster] + draw.standard_normal((vertices, 2))
    return Graph.from_edges(src, dst, num_vertices=vertices), places, cluster


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="How fast the page of a picture is.")
    parser.add_argument("--vertices", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import Browser

    graph, places, cluster = clusters(options.vertices, options.edges)
    view = emv.viz.view(graph, pos=places, values={"cluster": cluster}, color="cluster")
    with tempfile.TemporaryDirectory() as folder, Browser(1100, 750) as browser:
        page = Path(folder, "page.html")
        text = view.html(page)
        print(
            f"{graph}: {len(text) / 1e6:.2f} MB, {len(emv.viz.view(Graph()).html())} without data"
        )
        started = time.perf_counter()
        browser.open(page.as_uri())
        print(f"there after {time.perf_counter() - started:.1f} s")
        while browser.run("return emvPage.pen.drawn < emvPage.pen.total"):
            time.sleep(0.1)
        print(f"all edges after {time.perf_counter() - started:.1f} s")
        for _ in range(3):
            frames, budget = browser.later(MOVE)
            print(f"{frames:.1f} frames a second, of {budget:,} edges")
        ms, count = browser.run(DRILL, options.vertices // 2)
        print(f"drilled down to {count} vertices in {ms:.0f} ms")
        print(f"problems: {browser.problems()}, requests: {len(browser.requests())}")


if __name__ == "__main__":
    main()
