"""Every page of the built site in a browser without a screen: wide, narrow, light, dark.

Usage: python -m tests.stress.site_pages [build/site/html] [--only NAME ...] [--pictures FOLDER]

A page is well if its console is silent, its pictures are there, nothing of it reaches beyond the
window (tables and programs scroll within), its ground is as dark as was asked for, and its text
stands out from it by 4.5 to 1 (WCAG 2.1, 1.4.3). Pages of sources are left out: they are one
program each. Prints what is not well, and exits 1 if anything is; wants chromium and its driver.
"""

from __future__ import annotations

import argparse
import functools
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.browser import Browser

WIDE, NARROW = (1280, 900), (390, 844)
LOOKS = {
    f"{size}-{shade}": (window, shade == "dark")
    for size, window in (("wide", WIDE), ("narrow", NARROW))
    for shade in ("light", "dark")
}
CONTRAST = 4.5
LOOK = """
const luminance = color => {
  const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map(each => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const text = luminance(getComputedStyle(document.querySelector("article p, article")).color);
const ground = luminance(getComputedStyle(document.body).backgroundColor);
return {
  beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  missing: [...document.images].filter(each => each.complete && !each.naturalWidth)
    .map(each => each.currentSrc),
  ground: ground,
  contrast: (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05),
};
"""


class Silent(SimpleHTTPRequestHandler):
    """Hands out files and says nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def problems(browser: Browser, is_dark: bool) -> Iterator[str]:
    """Yield what is not well with the page that a browser shows."""
    found = browser.run(LOOK)
    if found["beyond"] > 0:
        yield f"{found['beyond']} pixels reach beyond the window"
    for address in found["missing"]:
        yield f"no picture at {address}"
    if is_dark != (found["ground"] < 0.2):
        yield f"a ground of luminance {found['ground']:.2f}"
    if found["contrast"] < CONTRAST:
        yield f"text stands out by {found['contrast']:.1f} to 1"
    yield from browser.problems()


def look_at(root: str, names: list[str], look: str, pictures: Path | None) -> int:
    """Open pages in one window, print what is not well, and return how often that was."""
    (width, height), is_dark = LOOKS[look]
    count = 0
    with Browser(width, height, dark=is_dark) as browser:
        for name in names:
            browser.ask("POST", "/url", {"url": f"{root}/{name}"})
            for problem in problems(browser, is_dark):
                count += 1
                print(f"{look} {name}: {problem}", flush=True)
            if pictures is not None:
                file = pictures / f"{name.removesuffix('.html').replace('/', '-')}-{look}.png"
                file.write_bytes(browser.screenshot())
    return count


def main(argv: list[str] | None = None) -> int:
    """Look at all pages in all windows, and return 1 if one is not well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/site/html"))
    parser.add_argument("--only", nargs="+", help="pages, such as index.html")
    parser.add_argument("--pictures", type=Path, help="keep what each window shows there")
    given = parser.parse_args(argv)
    pages = (page.relative_to(given.folder) for page in sorted(given.folder.rglob("*.html")))
    names = given.only or [page.as_posix() for page in pages if page.parts[0] != "source"]
    if given.pictures is not None:
        given.pictures.mkdir(parents=True, exist_ok=True)
    handler = functools.partial(Silent, directory=str(given.folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}"
        count = sum(look_at(root, names, look, given.pictures) for look in LOOKS)
        server.shutdown()
    print(f"{len(names)} pages in {len(LOOKS)} windows, {count} things are not well")
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main())
