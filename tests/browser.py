"""A browser without a screen, driven by the WebDriver protocol (W3C), for tests of pages."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

FLAGS = (
    "--headless=new --no-sandbox --disable-background-networking --disable-dev-shm-usage "
    "--use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist "
    "--hide-scrollbars --no-first-run --disable-component-update --disable-sync"
).split()
DRIVER = shutil.which("chromedriver")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
IS_THERE = DRIVER is not None and BROWSER is not None


class Browser:
    """One window; a context that closes it."""

    def __init__(self, width: int = 1000, height: int = 700, dark: bool = False) -> None:
        self.driver = subprocess.Popen(
            [str(DRIVER), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.driver.stdout is not None
        port = next(
            line.rstrip(". \n").rpartition(" ")[2]
            for line in self.driver.stdout
            if "successfully on port" in line
        )
        self.root = f"http://127.0.0.1:{port}/session"
        args = [*FLAGS, f"--window-size={width},{height}"]
        args += ["--blink-settings=preferredColorScheme=0"] if dark else []
        metrics = {"width": width, "height": height, "pixelRatio": 1, "touch": False}
        asked = {
            "goog:chromeOptions": {
                "binary": BROWSER,
                "args": args,
                "mobileEmulation": {"deviceMetrics": {**metrics, "mobile": False}},
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            made = self.ask("POST", "", {"capabilities": {"alwaysMatch": asked}})
        except BaseException:
            self.driver.kill()
            raise
        self.root += f"/{made['sessionId']}"

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.root + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:600]) from None

    def open(self, address: str) -> None:
        """Load a page and wait until its picture is there."""
        self.ask("POST", "/url", {"url": address})
        end = time.monotonic() + 90
        while self.run("return document.documentElement.dataset.ready") != "yes":
            assert time.monotonic() < end, self.problems()
            time.sleep(0.05)

    def run(self, script: str, *args: Any) -> Any:
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def later(self, script: str, *args: Any) -> Any:
        """Run a script whose last argument is called with what it gives."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(args)})

    def keys(self, text: str) -> None:
        """Press keys; what has no letter is as WebDriver numbers it."""
        pressed = [{"type": kind, "value": k} for k in text for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": pressed}]})

    def mouse(self, *moves: dict[str, Any]) -> None:
        """Do what a mouse can, such as ``{"type": "pointerMove", "x": 3, "y": 4}``."""
        pointer = {"type": "pointer", "id": "m", "parameters": {"pointerType": "mouse"}}
        self.ask("POST", "/actions", {"actions": [{**pointer, "actions": list(moves)}]})

    def click(self, x: float, y: float, times: int = 1) -> None:
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.mouse({"type": "pointerMove", "x": round(x), "y": round(y)}, *press * times)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("GET", "/screenshot"))

    def problems(self) -> list[str]:
        """Return what the console has complained of since it was last asked."""
        entries = self.ask("POST", "/se/log", {"type": "browser"})
        return [each["message"] for each in entries if each["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since it was last asked."""
        entries = self.ask("POST", "/se/log", {"type": "performance"})
        said = [json.loads(each["message"])["message"] for each in entries]
        return [
            each["params"]["request"]["url"]
            for each in said
            if each["method"] == "Network.requestWillBeSent"
        ]
