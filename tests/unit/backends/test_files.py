"""Generated files are whole for every thread that asks for them, and after damage."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emv.backends.files import cache_folder, keep, load_module

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


def test_folder_is_for_its_user_alone(tmp_path):
    folder = cache_folder(tmp_path / "own", "0123456789abcdef")
    assert folder == tmp_path / "own" / "0123456789ab"
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_folder_that_others_may_write_is_not_used(tmp_path, caplog, mode):
    root = tmp_path / "shared"
    root.mkdir()
    root.chmod(mode)
    folder = cache_folder(root, f"{mode:x}" * 6)
    assert root not in folder.parents
    assert "can be written by others" in caplog.text


def test_folder_of_another_user_is_not_used(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    folder = cache_folder(tmp_path / "theirs", "fedcba987654")
    assert tmp_path not in folder.parents
    assert "belongs to another user" in caplog.text


def test_without_a_cache_programs_run_and_nothing_is_left(tmp_path):
    blocked, temporary = tmp_path / "blocked", tmp_path / "temporary"
    blocked.touch()
    temporary.mkdir()
    text = (
        "from emv import Graph; from emv.algorithms import bfs; "
        "print(bfs(Graph.from_edges([0], [1]), 0, backend='cpu'))"
    )
    environment = {**os.environ, "EMV_CACHE": str(blocked / "in"), "TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=environment, check=True
    )
    assert "[0 1]" in done.stdout
    assert done.stderr.count("kernels are not kept") == 1
    assert list(temporary.iterdir()) == []
