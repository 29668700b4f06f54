"""Generated files are whole for every thread that asks for them, and after damage."""

from __future__ import annotations

import importlib.util
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emv.backends.files import keep, load_module

SLOW = "import time\ntime.sleep(0.2)\nvalue = 1\n"


def test_threads_wait_for_a_module_that_another_imports(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    start = threading.Barrier(4)

    def value(_):
        start.wait()
        return load_module("emv_generated_slow_for_threads", path).value

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(value, range(4))) == [1, 1, 1, 1]


def test_threads_may_keep_one_file(tmp_path):
    path, data = tmp_path / "kept", b"x" * 100_000
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: keep(path, data), range(200)))
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("left", [0, 50, -100])
def test_damaged_bytecode_is_made_anew(tmp_path, monkeypatch, left):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    name, path = "emv_generated_with_bytecode", tmp_path / "damaged.py"
    path.write_text("value = [1, 2]\n" * 50)
    for _ in range(2):
        assert load_module(name, path).value == [1, 2]
        del sys.modules[name]
        bytecode = Path(importlib.util.cache_from_source(path))
        size = bytecode.stat().st_size
        bytecode.write_bytes(bytecode.read_bytes()[:left])
    assert load_module(name, path).value == [1, 2]
    del sys.modules[name]
    assert bytecode.stat().st_size == size
