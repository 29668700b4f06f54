"""Damaged folders of emv: an error that names the file, and no id out of range in a kernel."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import emv
from emv.errors import GraphFormatError
from emv.graph import Graph
from emv.graph.io import directory, open_directory
from emv.graph.io.source import Source

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)


def folder_of(path: Path) -> Path:
    return path / json.loads((path / "graph.json").read_text())["folder"]


def change(path: Path, name: str, at: int, value: int) -> None:
    """Change an entry of an array as a stray program would."""
    place = folder_of(path) / f"{name}.npy"
    values = np.load(place)
    values[at] = value
    np.save(place, values)


@pytest.mark.parametrize(
    ("name", "at", "value", "what"),
    [
        ("src", 0, 3, r"edge 0 starts at vertex 3"),
        ("dst", 4, -1, r"edge 4 points to vertex -1"),
        ("src", 0, 1, r"index\.\w+\.npy is not that of its edges"),
        ("index.out_first", 1, 2**31, r"index\.out_first\.npy is not that"),
        ("index.out_other", 0, 2**32 - 1, r"index\.out_other\.npy is not that"),
        ("index.in_first", 3, 4, r"index\.in_first\.npy is not that"),
        ("index.in_other", 0, 3, r"index\.in_other\.npy is not that"),
        ("index.edge_of_arc", 0, 5, r"index\.edge_of_arc\.npy is not that"),
        ("index.edge_of_slot", 0, 5, r"index\.edge_of_slot\.npy is not that"),
        ("index.arc_of_slot", 0, 5, r"index\.arc_of_slot\.npy is not that"),
        ("index.slot_of_arc", 0, 5, r"index\.slot_of_arc\.npy is not that"),
    ],
)
def test_ids_out_of_range_never_reach_a_kernel(kite, name, at, value, what) -> None:
    change(kite, name, at, value)
    for use in (emv.read, directory.verify):
        with pytest.raises(GraphFormatError, match=what) as caught:
            use(kite)
        assert str(caught.value).startswith(f"{kite}: ")


def test_bytes_that_are_no_bools_are_refused(kite) -> None:
    place = folder_of(kite) / "edges.flag.npy"
    content = bytearray(place.read_bytes())
    content[-1] = 7
    place.write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"column flag holds what is neither true nor false"):
        emv.read(kite)


def test_a_copy_is_checked_until_it_is_verified(kite, tmp_path, monkeypatch) -> None:
    moved = tmp_path / "moved.emv"
    shutil.copytree(kite, moved, copy_function=shutil.copy2)  # times kept, as by tar
    num_checks = []
    check = open_directory.check_stored
    monkeypatch.setattr(
        open_directory, "check_stored", lambda *args: (num_checks.append(1), check(*args))
    )
    assert emv.read(kite).edges.src.tolist() == emv.read(moved).edges.src.tolist()
    assert len(num_checks) == 1
    emv.read(moved)
    assert len(num_checks) == 2
    directory.verify(moved)
    num_checks.clear()
    emv.read(moved)
    kite.rename(tmp_path / "renamed.emv")
    emv.read(tmp_path / "renamed.emv")
    assert not num_checks


def test_a_forged_stamp_does_not_fit(kite, tmp_path) -> None:
    """Who packs a bad graph cannot know the times that unpacking will set."""
    change(kite, "index.out_other", 0, 2**32 - 1)
    said = json.loads((kite / "graph.json").read_text())
    for name, noted in said["arrays"].items():
        place = folder_of(kite) / (name if name.endswith("json") else f"{name}.npy")
        noted["stamp"] = directory.stamp_of(place)
    (kite / "graph.json").write_text(json.dumps(said))
    shutil.copytree(kite, tmp_path / "unpacked.emv", copy_function=shutil.copy2)
    with pytest.raises(GraphFormatError, match=r"out_other\.npy is not that of its edges"):
        emv.read(tmp_path / "unpacked.emv")


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("src.npy", None, r"src\.npy cannot be read: No such file"),
        ("src.npy", b"", r"its array src\.npy is no array of numpy"),
        ("src.npy", b"\x93NUMPY\x01\x00", r"src\.npy is no array"),
        ("labels.json", None, r"labels\.json cannot be read"),
        ("labels.json", b"", r"labels\.json is damaged"),
        ("labels.json", b'["a","b"]', r"labels\.json is damaged: expected 3 labels"),
        ("labels.json", b'["a","b",["c"]]', r"damaged: expected texts and numbers"),
        ("labels.json", b'["a","b","a"]', r"two vertices have the label 'a'"),
        ("labels.json", b"[" * 100000, r"labels\.json is damaged"),
    ],
)
def test_files_that_are_gone_or_no_arrays_are_named(kite, name, content, what) -> None:
    place = folder_of(kite) / name
    place.unlink() if content is None else place.write_bytes(content)
    with pytest.raises(GraphFormatError, match=what):
        emv.read(kite)


def test_cut_and_longer_arrays_are_refused(kite) -> None:
    for place in sorted(folder_of(kite).glob("*.npy")):
        content = place.read_bytes()
        for other in (content[:-1], content + b"\0", content[:40]):
            place.write_bytes(other)
            with pytest.raises(GraphFormatError, match=place.name):
                emv.read(kite)
        np.save(place, np.zeros(3, complex))
        with pytest.raises(GraphFormatError, match=r"is complex128\(3,\), but graph\.json says"):
            emv.read(kite)
        place.write_bytes(content)
    emv.read(kite)


def test_links_out_of_the_folder_are_not_followed(kite, tmp_path) -> None:
    place = folder_of(kite) / "src.npy"
    place.rename(tmp_path / "elsewhere.npy")
    place.symlink_to(tmp_path / "elsewhere.npy")
    with pytest.raises(GraphFormatError, match=r"src\.npy is no plain file"):
        emv.read(kite)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("byte_order", "big"),
        ("folder", "../../etc"),
        ("folder", 3),
        ("directed", 1),
        ("num_vertices", -1),
        ("num_vertices", 4),
        ("num_vertices", 3.0),
        ("num_vertices", 2**70),
        ("num_edges", 6),
        ("num_edges", True),
        ("num_arcs", 4),
        ("arrays", []),
        ("arrays", {}),
        ("more", 1),
    ],
)
def test_contents_that_cannot_be_are_refused(kite, key, value) -> None:
    said = json.loads((kite / "graph.json").read_text())
    (kite / "graph.json").write_text(json.dumps(said | {key: value}))
    with pytest.raises(GraphFormatError, match=r"graph\.json is not what emv writes|is of version"):
        emv.read(kite)


@pytest.mark.parametrize(
    ("name", "noted"),
    [
        ("src", {"dtype": "<i8"}),
        ("src", {"length": 4}),
        ("src", None),
        ("src", "all"),
        ("index.in_first", None),
        ("index.out_other", None),
        ("index.edge_of_arc", {"dtype": "<u8"}),
        ("edges.weight", {"dtype": "|O"}),
        ("edges.weight", {"dtype": "<M8[s]"}),
        ("edges.weight", {"dtype": ">f8"}),
        ("edges.weight", {"dtype": None}),
        ("edges.weight", {"dtype": 8}),
        ("edges.weight", {"length": 2**60}),
        ("edges.id", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("edges.../x", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("arcs.x", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("labels", {"dtype": "<f8", "length": 3, "stamp": []}),
        ("labels.json", {"length": 4}),
        ("vertices.age", {"length": 5}),
    ],
)
def test_arrays_that_do_not_fit_the_contents_are_refused(kite, name, noted) -> None:
    said = json.loads((kite / "graph.json").read_text())
    if noted is None:
        del said["arrays"][name]
    else:
        is_whole = isinstance(noted, str)
        said["arrays"][name] = noted if is_whole else {**said["arrays"].get(name, {}), **noted}
    (kite / "graph.json").write_text(json.dumps(said))
    with pytest.raises(GraphFormatError, match=r"graph\.json is not what emv writes"):
        emv.read(kite)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 10**5, b"{}" + b" " * (16 << 20)]
)
def test_contents_that_are_none_are_refused(kite, content) -> None:
    (kite / "graph.json").write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"kite\.emv: graph\.json is not what emv writes"):
        emv.read(kite)


def test_a_folder_without_contents_is_no_graph(kite, tmp_path) -> None:
    (kite / "graph.json").unlink()
    with pytest.raises(GraphFormatError, match=r"graph\.json cannot be read: No such file"):
        emv.read(kite)
    assert not directory.is_graph(Source(tmp_path))


@given(at=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
@FIXED
def test_one_changed_byte_anywhere_gives_an_error_or_a_graph(tmp_path, at, value) -> None:
    path = tmp_path / "g.emv"
    emv.write(Graph.from_edges([2, 0, 1], [0, 1, 2], directed=False, weight=1.0), path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    place = files[int(at * len(files))]
    content = bytearray(place.read_bytes())
    content[int(at * 1e9) % len(content)] = value
    place.write_bytes(content)
    try:
        g = emv.read(path)
    except GraphFormatError:
        return
    assert max(g.edges.src.max(), g.edges.dst.max(), g.layouts.out_rows.other.max()) < 3
