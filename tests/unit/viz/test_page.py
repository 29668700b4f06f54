"""A page holds all that it shows and asks for nothing; in a browser it does what it says."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from browser import IS_THERE, Browser

import emv
from emv import Graph
from emv.errors import ArgumentError
from emv.viz import page

HOSTILE = "</script><script>alert(1)</script>"
DOWN, BACKSPACE, ENTER = "\ue015", "\ue003", "\ue007"


@pytest.fixture(scope="module")
def view():
    """A wheel: a hub in the middle of a ring, and one vertex far out."""
    ring = np.arange(1, 13)
    src = np.r_[np.zeros(12, int), ring, 3]
    dst = np.r_[ring, np.roll(ring, 1), 13]
    angle = np.pi / 6 * ring
    places = np.vstack([[[0, 0]], np.c_[np.cos(angle), np.sin(angle)], [[0, 2]]])
    g = Graph.from_edges(src, dst, directed=False)
    names = [HOSTILE, *(f"spoke {k}\nof twelve" for k in ring), "tail"]
    values = {"far": places[:, 1], "kind": [f"k{k % 3}" for k in range(14)]}
    return emv.viz.view(g, pos=places, color="kind", values=values, labels=names)


class Elements(HTMLParser):
    """What a page is made of: addresses, and whether tags close in their order."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.open, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "action", "data")]
        self.ids |= {v for k, v in attrs if k == "id"}
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open[-1] in ("option",) and self.open[-1] != tag:
            self.open.pop()
        assert self.open.pop() == tag


def test_a_page_is_whole_and_asks_for_nothing(view):
    text = view.html(title="A & <b>")
    found = Elements(text)
    assert found.addresses == ["data:,"]
    assert found.open == []
    assert not re.findall(r"https?://|//[a-z]+\.|@import|url\(|fetch\(|XMLHttp|WebSocket", text)
    assert "default-src 'none'" in text
    assert "<title>A &amp; &lt;b&gt;</title>" in text
    assert HOSTILE not in text
    used = set(re.findall(r"byId\(\"(\w+)\"\)|chosen\(\"(\w+)\"\)", text))
    assert {one or other for one, other in used} <= found.ids
    assert len(text) < 100_000


def test_a_page_holds_the_data(view):
    text = view.html()
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', text)[1])
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">(.*?)</script>', text)[1]))
    held = {
        name: np.frombuffer(data, kind, length, begin)
        for name, kind, begin, length in facts["arrays"]
    }
    np.testing.assert_array_equal(held["places"].reshape(-1, 2), view.positions)
    np.testing.assert_array_equal(held["ends"].reshape(-1, 2).T, view.graph.edges.endpoints())
    np.testing.assert_array_equal(held["ids"], np.arange(14))
    names = held["names"].tobytes().decode().split("\n")
    assert names[:2] == [HOSTILE, "spoke 1 of twelve"]
    assert [each["name"] for each in facts["values"]] == ["far", "kind"]
    assert facts["values"][1]["kinds"] == ["k0", "k1", "k2"]
    np.testing.assert_array_equal(held["values1"], np.arange(14) % 3)
    assert facts["color"] == "kind"


def test_a_notebook_shows_the_page_in_a_frame(view):
    frame = view._repr_html_()
    assert unescape(re.search(r'srcdoc="(.*?)" title', frame, re.DOTALL)[1]) == view.html()
    assert "allow-same-origin" not in frame


def test_what_is_too_large_is_refused(view, monkeypatch):
    monkeypatch.setattr(page, "MOST_EDGES", 24)
    with pytest.raises(ArgumentError, match=r"25 edges are more [^\0]*drill_down"):
        view.html()


def test_no_vertices_make_a_page():
    assert "0" in emv.viz.view(Graph.from_edges([], [])).html()


WHERE = """const [v] = arguments, p = window.emvPage, r = p.camera.ratio;
const box = document.getElementById("picture").getBoundingClientRect();
const [x, y] = p.camera.toScreen(p.graph.places[2 * v], p.graph.places[2 * v + 1]);
return [box.left + x / r, box.top + y / r];"""
SEEN = "return ['counts', 'chosen'].map((id) => document.getElementById(id).textContent)"


DRAWN = """const done = arguments[arguments.length - 1], { pen } = window.emvPage;
let quiet = 0;
(function wait() {
  quiet = pen.drawn === pen.total ? quiet + 1 : 0;
  if (quiet > 3) done(); else requestAnimationFrame(wait);
})();"""


def pixels(browser):
    browser.later(DRAWN)
    image = pytest.importorskip("matplotlib.image")
    return image.imread(io.BytesIO(browser.screenshot()))[:, :, :3]


@pytest.mark.skipif(not IS_THERE, reason="chromium and chromedriver are not installed")
@pytest.mark.paper("S125", "S126")
def test_in_a_browser(view, tmp_path):
    file = tmp_path / "wheel.html"
    view.html(file, title="Wheel")
    with Browser(400, 800) as browser:
        browser.open(file.as_uri())
        assert browser.run("return [innerWidth, document.documentElement.scrollWidth]") == [400] * 2
        assert browser.run(SEEN)[0] == "14 vertices, 25 edges"
        x, y = map(round, browser.run(WHERE, 4))
        shown = pixels(browser)
        assert np.allclose(shown[y, x], [0xF2 / 255, 0x8E / 255, 0x2B / 255], atol=0.03)  # kind k1

        browser.click(x, y)
        assert "spoke 4" in browser.run(SEEN)[1]
        browser.keys(ENTER)  # down: two hops around it
        assert browser.run(SEEN)[0] == "14 vertices, 25 edges, 2 hops around spoke 4 of twelve"
        browser.keys(BACKSPACE)
        browser.run("document.getElementById('hops').value = '1'")
        x, y = browser.run(WHERE, 13)
        browser.click(x, y, times=2)
        assert browser.run(SEEN)[0] == "2 vertices, 1 edges, 1 hops around tail"
        browser.run("document.getElementById('up').click()")

        browser.run("document.getElementById('picture').focus()")
        browser.keys("/")
        browser.keys("SPOKE 1")
        browser.keys(DOWN + ENTER)
        assert "spoke 10" in browser.run(SEEN)[1]  # the second of spoke 1, 10, 11, 12

        before = browser.run(WHERE, 0)
        browser.keys("+")
        assert browser.run(WHERE, 3)[1] != before[1]
        light = pixels(browser)
        browser.keys("t")
        dark = pixels(browser)
        assert light[5, 395].mean() > 0.9 > 0.2 > dark[5, 395].mean()
        assert browser.problems() == []
        assert browser.requests() == [file.as_uri()]
