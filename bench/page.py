"""How many frames a second the page of a picture draws, in a browser without a screen.

Needs chromium and chromedriver, which draw by software where there is no GPU. Prints the size of
the page, the seconds until it is there and until all edges are, frames that were drawn a second
while the picture moved, and the milliseconds of drilling down.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import emv
from bench.study import Row, run
from emv import Graph

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


def page(vertices: int = 100_000, edges: int = 1_000_000) -> Iterator[Row]:
    """Time the page of a picture: until it is there, while it moves, and where one drills down."""
    from tests.browser import Browser

    graph, places, cluster = clusters(vertices, edges)
    view = emv.viz.view(graph, pos=places, values={"cluster": cluster}, color="cluster")
    with tempfile.TemporaryDirectory() as folder, Browser(1100, 750) as browser:
        file = Path(folder, "page.html")
        empty = len(emv.viz.view(Graph()).html())
        yield {"what": "size", "MB": len(view.html(file)) / 1e6, "without data, MB": empty / 1e6}
        started = time.perf_counter()
        browser.open(file.as_uri())
        yield {"what": "there", "seconds": time.perf_counter() - started}
        while browser.run("return emvPage.pen.drawn < emvPage.pen.total"):
            time.sleep(0.1)
        yield {"what": "all edges", "seconds": time.perf_counter() - started}
        for _ in range(3):
            frames, budget = browser.later(MOVE)
            yield {"what": "moved", "frames a second": frames, "edges": budget}
        ms, count = browser.run(DRILL, vertices // 2)
        problems, asked = browser.problems(), len(browser.requests())
        yield {"what": "drilled down", "vertices": count, "ms": ms, "requests": asked}
        yield {"what": "problems", "fault": f"{problems}" * bool(problems)}


if __name__ == "__main__":
    raise SystemExit(run(page))
