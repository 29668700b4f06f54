"""Generated files are whole for every thread that asks for them, and after damage."""

from __future__ import annotations

import linecache
import os
import resource
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from emv.backends.files import load_module
from emv.config import config
from emv_kernels import kept
from emv_kernels.kept import cache_folder, write_whole

SLOW = "import time\ntime.sleep(0.2)\nvalue = 1\n"
TRIANGLES = (  # of whose kernel little is to be compiled
    "from emv import Graph; from emv.algorithms import num_triangles; "
    "ring = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False); "
    "print('found', num_triangles(ring, backend='cpu'))"
)


def test_threads_wait_for_a_module_that_another_imports(tmp_path):
    start = threading.Barrier(4)

    def value(_):
        start.wait()
        return load_module("emv_generated_slow_for_threads", SLOW, "threads").value

    with config.using(cache=tmp_path), ThreadPoolExecutor(4) as threads:
        assert list(threads.map(value, range(4))) == [1, 1, 1, 1]


def test_threads_may_keep_one_file(tmp_path):
    path, data = tmp_path / "kept", b"x" * 100_000
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: kept.keep(path, data), range(200)))
    assert kept.kept(path) == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_a_dead_writer_left_is_taken_over(tmp_path):
    left = tmp_path / "kept.part"
    left.write_bytes(b"half of what came before" * 1000)
    write_whole(tmp_path / "kept", b"whole")
    assert (tmp_path / "kept").read_bytes() == b"whole"
    assert not left.exists()


def test_a_module_without_a_folder_shows_its_lines(monkeypatch):
    monkeypatch.setattr("emv.backends.files.cache_folder", lambda root, toolchain: None)
    text = "def value():\n    return 1 / 0  # here\n"
    module = load_module("emv_generated_in_memory", text, "none")
    assert linecache.getline(module.__file__, 2).endswith("# here\n")
    with pytest.raises(ZeroDivisionError):
        module.value()


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
    assert folder is None
    assert "can be written by others" in caplog.text


def test_folder_of_another_user_is_not_used(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    folder = cache_folder(tmp_path / "theirs", "fedcba987654")
    assert folder is None
    assert "belongs to another user" in caplog.text


def ran(folder, limit=None, **environment):
    """Count triangles in a process of its own; return what it printed, said, and left."""
    temporary = folder / "temporary"
    temporary.mkdir()
    knobs = {**os.environ, "TMPDIR": str(temporary), **environment}
    done = subprocess.run(
        [sys.executable, "-c", TRIANGLES],
        capture_output=True,
        text=True,
        env={name: value for name, value in knobs.items() if value},
        preexec_fn=limit,
    )
    assert "found 1\n" in done.stdout, done.stderr
    return done.stderr, list(temporary.iterdir())


def test_without_a_cache_programs_run_and_nothing_is_left(tmp_path):
    blocked = tmp_path / "blocked"
    blocked.touch()
    said, left = ran(tmp_path, EMV_CACHE=str(blocked / "in"))
    assert said.count("kernels are not kept") == 1
    assert left == []


def test_without_a_home_folder_programs_run(tmp_path):
    """A home folder that cannot be made, where nothing else is said."""
    said, left = ran(tmp_path, EMV_CACHE="", HOME="/proc/no/home")
    assert said.count("kernels are not kept") == 1
    assert left == []


def test_a_user_without_a_home_folder_is_told_of_it(caplog):
    assert cache_folder(kept.Path("~/.cache/emv"), "no home") is None
    assert "EMV_CACHE" in caplog.text


def test_on_a_full_disk_programs_run_and_nothing_is_left(tmp_path):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    cache = tmp_path / "cache"
    said, left = ran(tmp_path, full, EMV_CACHE=str(cache))
    assert said.count("kernels are not kept") == 1
    assert left == []
    assert list(cache.rglob("*.part")) == []
