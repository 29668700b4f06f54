"""Files take their place whole or not at all, whatever befalls who writes them."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import emv
from emv.errors import GraphError
from emv.graph import Graph
from emv.graph.io import drafts, write_directory
from emv.graph.io.drafts import replacing
from emv.graph.io.partition import write_partition
from tests.stress import trust, trust_writers


def contents_of(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@contextmanager
def files_of_at_most(num_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", trust_writers.FILES)
@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_full_disk_leaves_the_old_graph(tmp_path: Path, name: str, share: float) -> None:
    place = trust_writers.Overwriting(tmp_path, name, 60)
    before = contents_of(tmp_path)
    largest = max(map(len, before.values()))
    with files_of_at_most(int(share * largest)), pytest.raises(OSError, match=r"Errno") as caught:
        emv.write(place.new, place.path)
    assert Path(caught.value.filename).parent == tmp_path
    assert contents_of(tmp_path) == before
    assert place.found() == "old"


def test_a_first_graph_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    for name in trust_writers.FILES:
        with files_of_at_most(100), pytest.raises(OSError, match=r"Errno"):
            emv.write(trust_writers.graph_for(name, 60, 1), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("weight", [[np.nan, 2], [np.inf, 2], np.array([2**63, 2], np.uint64)])
@pytest.mark.parametrize("name", ["a.gr", "a.e"])
def test_what_is_refused_is_refused_before_the_old_file_is_touched(tmp_path, name, weight) -> None:
    emv.write(Graph.from_edges([0, 1], [1, 2], weight=[1, 2]), tmp_path / name)
    before = contents_of(tmp_path)
    with pytest.raises(GraphError, match="cannot hold the weight"):
        emv.write(Graph.from_edges([0, 1], [1, 2], weight=weight), tmp_path / name)
    assert contents_of(tmp_path) == before


def test_partitions_are_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.part.2"
    write_partition([0, 1], path)
    with files_of_at_most(10), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        write_partition([1] * 99, path)
    assert path.read_text() == "0\n1\n"


def test_killed_writers_lose_nothing() -> None:
    """Runs apart: its writers are forks, and this process has threads."""
    command = [sys.executable, "-m", "tests.stress.trust", "--part", "writers", "--small"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=trust.__file__.rsplit("/", 3)[0]
    )
    assert done.returncode == 0, done.stdout + done.stderr


KILLED_AT_RENAMING = """
    import os, sys, emv
    from pathlib import Path
    from emv.graph import Graph
    steps = int(sys.argv[2])
    replace = Path.replace
    def count(self, target):
        global steps
        if not steps:
            os.kill(os.getpid(), 9)
        steps -= 1
        return replace(self, target)
    Path.replace = count
    emv.write(Graph.from_edges([0, 1, 1], [1, 0, 1], weight=[7, 8, 9]), sys.argv[1])
"""


@pytest.mark.parametrize("name", ["a.csv", "a.emv", "a.e", "a.e.gz"])
def test_whoever_is_killed_at_a_renaming_leaves_one_graph_or_the_other(tmp_path, name) -> None:
    path = tmp_path / name
    seen = []
    for steps in range(5):
        old = Graph.from_edges([0, 1], [1, 0], weight=[1, 2])
        emv.write(old, path)
        names = set(tmp_path.rglob("*"))
        command = [sys.executable, "-c", textwrap.dedent(KILLED_AT_RENAMING), str(path), str(steps)]
        code = subprocess.run(command).returncode
        assert code in (0, -9)
        weights = emv.read(path).edges.weight.tolist()
        assert weights in ([1, 2], [7, 8, 9])
        seen.append((code, len(weights)))
        emv.write(old, path)
        assert emv.read(path).edges.weight.tolist() == [1, 2]
        same = {each for each in set(tmp_path.rglob("*")) ^ names if each.parent == tmp_path}
        assert not same  # what the dead writer left is gone
        if code == 0:
            break
    assert seen[0] == (-9, 2)
    assert seen[-1] == (0, 3)
    if name.startswith("a.e") and name != "a.emv":
        assert seen[1:-1] == [(-9, 3)] * 3  # the first of four renamings decides


def test_a_writer_without_nameless_files(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(drafts, "_nameless", lambda folder, mode: None)
    path = tmp_path / "a.csv"
    g = Graph.from_edges([0, 1, 1], [1, 0, 1])
    emv.write(g, path)
    dead = tmp_path / next(name for name in _names_while_writing(path))
    dead.write_text("left by a dead writer")
    emv.write(g, path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        file.write(bytes(1 // 0))
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def _names_while_writing(path: Path) -> list[str]:
    with replacing(path) as file:
        file.write(path.read_bytes())
        return [each.name for each in path.parent.iterdir() if each != path]


def test_living_writers_do_not_take_each_others_drafts(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(drafts, "_nameless", lambda folder, mode: None)
    path = tmp_path / "a.txt"
    with replacing(path) as one:
        with replacing(path) as other:
            one.write(b"one")
            other.write(b"other")
            assert len(list(tmp_path.iterdir())) == 2
        assert path.read_bytes() == b"other"
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_links_modes_and_names_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "here" / ("n" * 250), tmp_path / "link.csv"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    emv.write(Graph.from_edges([0, 1, 1], [1, 0, 1]), link)
    assert link.is_symlink()
    assert target.read_text() == "0,1\n1,0\n1,1\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    old = os.umask(0o027)
    try:
        with replacing(tmp_path / "new"):
            pass
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass


def test_what_is_no_plain_file_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "a.csv"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    emv.write(Graph.from_edges([0, 1, 1], [1, 0, 1]), pipe)
    reader.join()
    assert got == ["0,1\n1,0\n1,1\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    script = "import emv; emv.write(emv.Graph.from_edges([0], [1]), '/dev/stdout', format='dimacs')"
    with (tmp_path / "out").open("w") as out:
        script = script.replace("[1])", "[1], directed=False)")
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "p tw 2 1\n1 2\n"


def test_folders_are_written_by_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.emv"
    old = os.umask(0o002)  # as where every user has a group of the same name
    try:
        emv.write(Graph.from_edges([0], [1]), path)
    finally:
        os.umask(old)
    assert not any(each.stat().st_mode & 0o022 for each in (path, *path.rglob("*")))


def test_what_a_killed_writer_left_of_a_first_folder_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "a.emv"
    dead = path / "0123456789abcdef"
    dead.mkdir(parents=True)
    (dead / "src.npy").write_bytes(b"half")
    emv.write(Graph.from_edges([0], [1]), path)
    assert len(list(path.iterdir())) == 2
    assert not dead.exists()


def test_folders_that_are_being_written_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.emv"
    path.mkdir()
    folder, lock = write_directory._new_folder(path)
    emv.write(Graph.from_edges([0], [1]), path)
    assert folder.is_dir()
    os.close(lock)
    emv.write(Graph.from_edges([0], [1]), path)
    assert not folder.exists()


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("keep", [False, True])
def test_a_signal_behind_the_moment_of_writing_leaves_the_new_graph(
    is_there: bool, keep: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, put = tmp_path / "a.emv", write_directory.put_history

    def interrupted(*given: Any) -> None:
        put(*given)
        raise KeyboardInterrupt

    old = Graph.from_edges([0, 1], [1, 0], weight=[1, 2])
    if is_there:
        emv.write(old, path)
    monkeypatch.setattr(write_directory, "put_history", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_directory.save_directory(Graph.from_edges([0], [1], weight=[3]), path, keep)
    monkeypatch.undo()
    assert emv.read(path).edges.weight.tolist() == [3]
    emv.write(old, path)
    assert emv.read(path).edges.weight.tolist() == [1, 2]
    assert len(list(path.iterdir())) == 2


def test_a_signal_before_that_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.emv"
    emv.write(Graph.from_edges([0, 1], [1, 0], weight=[1, 2]), path)

    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write_directory, "put_history", interrupted)
    with pytest.raises(KeyboardInterrupt):
        emv.write(Graph.from_edges([0], [1], weight=[3]), path)
    monkeypatch.undo()
    assert emv.read(path).edges.weight.tolist() == [1, 2]
    assert len(list(path.iterdir())) == 2
