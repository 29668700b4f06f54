"""Files that `tests.stress.trust_files` invents: each follows the grammar of its format, nearly."""

from __future__ import annotations

import functools
import io
import json
import random
import struct
from collections.abc import Callable

import numpy as np

from emv.imports import is_installed, optional
from tests.stress.fuzz_inputs import INTEGERS, WORDS, Input, format_named, valid_inputs


def invented(name: str, chance: random.Random) -> Input | None:
    """Return files of a format that nobody wrote; None of a format without a grammar here."""
    grammar = _GRAMMARS.get(name)
    return None if grammar is None else grammar(chance)


def _maybe(right: object, chance: random.Random) -> str:
    """Return what is right, but for one time in twelve."""
    if chance.random() < 1 / 12:
        return chance.choice(WORDS).decode("latin-1")
    return str(right)


def _rows(chance: random.Random, num_rows: int, first: int, last: int, weight: str) -> list[str]:
    """Return rows of two vertices and a weight of a kind: none, int or real."""
    weights = {"none": lambda: "", "int": lambda: f" {chance.randint(-9, 99)}"}
    new_weight = weights.get(weight, lambda: f" {chance.choice([0.5, 1e30, -7.25, 3])!r}")
    rows = []
    for _ in range(num_rows):
        ends = (chance.randint(first, max(first, last)) for _ in range(2))
        rows.append(" ".join(map(str, ends)) + new_weight())
    if rows and chance.random() < 0.2:
        rows[chance.randrange(len(rows))] = _maybe(_maybe("1 1", chance), chance)
    return rows


def _text(lines: list[str], chance: random.Random) -> bytes:
    end = chance.choice(["\n"] * 6 + ["\r\n", "\r"])
    if chance.random() < 0.2:
        lines.insert(
            chance.randrange(len(lines) + 1), chance.choice(["", "# x", "% x", "c x", " "])
        )
    text = end.join(lines) + (end if chance.random() < 0.9 else "")
    return text.encode("latin-1")


def _matrix(chance: random.Random) -> Input:
    field = chance.choice(["pattern", "integer", "real", "double", "unsigned-integer"])
    layout = chance.choice(["coordinate"] * 4 + ["array"])
    symmetry = chance.choice(["general", "symmetric", "skew-symmetric"])
    size, width = chance.randint(0, 6), chance.randint(0, 6)
    if symmetry != "general" and chance.random() < 0.9:
        width = size
    weight = {"pattern": "none", "real": "real", "double": "real"}.get(field, "int")
    rows = _rows(chance, chance.randint(0, 8), 1, min(size, width), weight)
    sizes = [size, width, len(rows)]
    if layout == "array":
        number = size * width if symmetry == "general" else size * (size + 1) // 2
        rows, sizes = [str(chance.randint(0, 3)) for _ in range(number)], [size, width]
    words = ("%%MatrixMarket", "matrix", layout, field, symmetry)
    banner = " ".join(_maybe(word, chance) if chance.random() < 0.2 else word for word in words)
    lines = [banner, " ".join(_maybe(each, chance) for each in sizes), *rows]
    return Input({"a.mtx": _text(lines[chance.random() < 0.1 :], chance)}, "a.mtx")


def _edge_list(chance: random.Random) -> Input:
    first = chance.choice([0, 0, 1, 100, 2**31 - 3, 2**40])
    weight = chance.choice(["none", "int", "real"])
    rows = _rows(chance, chance.randint(1, 9), first, first + chance.randint(0, 9), weight)
    if chance.random() < 0.3:
        rows = [row.replace(" ", chance.choice([",", "\t", ", ", " "])) for row in rows]
    heads = [f"9 {len(rows)}", "source target weight", "% sym", "# Nodes: 4 Edges: 3", "% bip", "0"]
    head = [chance.choice(heads)] if chance.random() < 0.4 else []
    return Input({"a.txt": _text(head + rows, chance)}, "a.txt")


def _ncol(chance: random.Random) -> Input:
    names = ["ann", "bob", "Zürich", "7", "12", "a b", "", '"c', "//x", "nan", "\x00", "x" * 300]
    separator = chance.choice([" ", "\t", ",", "  "])
    rows = []
    for _ in range(chance.randint(1, 9)):
        parts = [chance.choice(names), chance.choice(names)]
        if chance.random() < 0.5:
            parts.append(chance.choice(["1", "-2", "0.5", "1e400", "inf", "nan", "x", "9" * 30]))
        rows.append(separator.join(parts))
    return Input({"a.ncol": _text(rows, chance)}, "a.ncol")


def _dimacs(chance: random.Random) -> Input:
    kind = chance.choice(["sp", "sp", "sp", "tw", "td"])
    size = chance.randint(0, 9)
    weight = chance.choice(["int", "int", "real", "none"]) if kind == "sp" else "none"
    rows = _rows(chance, chance.randint(0, 9) if size else 0, 1, size, weight)
    if kind == "sp":
        rows = [f"{'a' if chance.random() < 0.98 else 'b'} {row}" for row in rows]
    head = f"p {_maybe(kind, chance)} {_maybe(size, chance)} {_maybe(len(rows), chance)}"
    return Input({"a.gr": _text([head, *rows], chance)}, "a.gr")


def _metis(chance: random.Random) -> Input:
    size = chance.randint(0, 7)
    fmt = chance.choice(["", "0", "1", "10", "11", "100", "101", "110", "111", "001"])
    digits = fmt.rjust(3, "0")
    ncon = chance.randint(1, 3) if digits[1] == "1" else 0
    lists: list[list[str]] = [[] for _ in range(size)]
    for _ in range(num_edges := chance.randint(0, 8) if size else 0):
        u, v = chance.randrange(size), chance.randrange(size)
        weight = [str(chance.randint(1, 9))] if digits[2] == "1" else []
        for one, two in {(u, v), (v, u)} if chance.random() < 0.98 else {(u, v)}:
            lists[one] += [str(two + 1), *weight]
    numbers = (digits[0] == "1") + ncon
    lines = [
        " ".join([*(str(chance.randint(0, 9)) for _ in range(numbers)), *each]) for each in lists
    ]
    head = [_maybe(size, chance), _maybe(num_edges, chance), fmt]
    if ncon and (ncon > 1 or chance.random() < 0.5):
        head.append(_maybe(ncon, chance))
    return Input({"a.graph": _text([" ".join(head).strip(), *lines], chance)}, "a.graph")


def _partition(chance: random.Random) -> Input:
    parts = [_maybe(chance.randint(0, 3), chance) for _ in range(chance.randint(0, 8))]
    return Input({"a.part.4": _text(parts, chance)}, "a.part.4")


def _graphalytics(chance: random.Random) -> Input:
    ids = chance.sample(range(20), chance.randint(0, 9))
    weight = chance.choice(["none", "int", "real"])
    rows = _rows(chance, chance.randint(0, 9), 0, 19, weight)
    if ids and chance.random() < 0.8:
        rows = [
            " ".join([str(chance.choice(ids)), str(chance.choice(ids)), *row.split()[2:]])
            for row in rows
        ]
    facts = {
        "directed": chance.choice(["true", "false"]),
        "meta.vertices": len(ids),
        "meta.edges": len(rows),
        "edge-properties.names": "" if weight == "none" else "weight",
        "edge-properties.types": weight,
    }
    lines = [f"graph.a.{key} = {_maybe(fact, chance)}" for key, fact in facts.items() if fact]
    files = {
        "a.v": _text(
            [_maybe(each, chance) if chance.random() < 0.1 else str(each) for each in ids], chance
        ),
        "a.e": _text(rows, chance),
    }
    if chance.random() < 0.8:
        files["a.properties"] = _text(lines, chance)
    return Input(files, chance.choice(sorted(files)))


def _gap(chance: random.Random) -> Input:
    size, directed = chance.randint(0, 6), chance.random() < 0.5
    lists = [sorted(chance.choices(range(size), k=chance.randint(0, 3))) for _ in range(size)]
    weighted = chance.random() < 0.5

    def half(rows: list[list[int]]) -> bytes:
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype("<i8")
        ids = np.array([each for row in rows for each in row], "<i4")
        pairs = np.stack([ids, ids], axis=1) if weighted else ids
        return offsets.tobytes() + pairs.tobytes()

    num_arcs = sum(map(len, lists))
    head = [directed, num_arcs, size]
    if chance.random() < 0.2:
        head[chance.randrange(1, 3)] = chance.choice(INTEGERS) * chance.choice([1, -1])
    back = [
        [src for src in range(size) for dst in lists[src] if dst == each] for each in range(size)
    ]
    content = struct.pack("<Bqq", *map(int, head)) + half(lists) + (half(back) if directed else b"")
    name = "a.wsg" if weighted else "a.sg"
    return Input({name: content}, name)


def _npz(chance: random.Random) -> Input:
    kind = chance.choice(["csr", "csc", "coo", "dia", "bsr"])
    size, width = chance.randint(0, 5), chance.randint(0, 5)
    number = chance.randint(0, 6)
    ids = np.array([chance.randint(-1 if chance.random() < 0.02 else 0, 5) for _ in range(number)])
    dtype = chance.choice(["<i4", "<i8", ">i8", "<u8", "<f4", "<f8", "?", "<c8", "<U3", "<i2"])
    arrays = {
        "format": np.array(kind if chance.random() < 0.9 else "lil", chance.choice(["S", "U"])),
        "shape": np.array(
            [size, width][: 2 - (chance.random() < 0.05)], chance.choice(["<i8", "<i4"])
        ),
        "data": np.ones(number).astype(dtype),
    }
    if kind == "coo":
        arrays |= {"row": ids % max(1, size), "col": ids % max(1, width)}
    elif kind == "dia":
        arrays |= {"offsets": ids, "data": np.ones((number, width)).astype(dtype)}
    else:
        rows = size if kind != "csc" else width
        cuts = sorted(chance.randint(0, number) for _ in range(max(0, rows - 1)))
        indptr = np.array([0, *cuts, number][: rows + 1] if rows else [0])
        arrays |= {"indices": ids % max(1, width if kind != "csc" else size), "indptr": indptr}
    if chance.random() < 0.05:
        arrays.pop(chance.choice(sorted(arrays)))
    packed = io.BytesIO()
    (np.savez if chance.random() < 0.5 else np.savez_compressed)(packed, **arrays)
    return Input({"a.npz": packed.getvalue()}, "a.npz")


def _folder(chance: random.Random) -> Input | None:
    """Return a graph's folder with one value of its JSON or one number of an array changed."""
    made = chance.choice(_valid("emv"))
    files = dict(made.files)
    arrays = sorted(name for name in files if name.endswith(".npy"))
    if arrays and chance.random() < 0.5:
        name = chance.choice(arrays)
        head, body = files[name][:128], bytearray(files[name][128:])
        if body:
            at = 4 * chance.randrange(max(1, len(body) // 4))
            body[at : at + 4] = struct.pack("<i", chance.choice([-1, 0, 1, 2, 6, 7, 99, 2**31 - 1]))
        files[name] = head + bytes(body)
        return Input(files, made.opened)
    name = next(each for each in files if each.endswith("graph.json"))
    said = json.loads(files[name])
    place = said
    while True:
        key = chance.choice(sorted(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or chance.random() < 0.2:
            break
        place = place[key]
    others = [None, True, -1, 0, 3, 2**40, 2**64, 1.5, "", "<f8", "../x", [], {}, float("nan")]
    place[key] = chance.choice(others)
    files[name] = json.dumps(said).encode()
    return Input(files, made.opened)


@functools.cache
def _valid(name: str) -> list[Input]:
    return valid_inputs(format_named(name))


def _parquet(chance: random.Random) -> Input | None:
    """Return a table of columns of many kinds, some of them ends of edges."""
    if not is_installed("pyarrow"):
        return None
    arrow, parquet = (optional(name) for name in ("pyarrow", "pyarrow.parquet"))
    num_rows = chance.randint(0, 6)

    def column() -> object:
        kinds = [
            "int64",
            "int32",
            "uint64",
            "int8",
            "float64",
            "float32",
            "string",
            "bool_",
            "date32",
        ]
        kind = chance.choice([*["int64"] * 8, *kinds])
        most = 2**62 if kind in ("int64", "uint64") and chance.random() < 0.2 else 5
        values = [chance.randint(0 if kind[0] == "u" else -1, most) for _ in range(num_rows)]
        plain = {"string": str, "bool_": bool, "float64": float, "float32": float}.get(kind, int)
        cells = [None if chance.random() < 0.02 else plain(abs(each)) for each in values]
        made = arrow.array(cells, getattr(arrow, kind)())
        return made.dictionary_encode() if chance.random() < 0.05 else made

    names = chance.choice(
        [["src", "dst"], ["source", "target"], ["from", "to"], ["u", "v"], ["src"]]
    )
    names += chance.sample(["weight", "year", "1st", "_x", "src2", "dst"], chance.randint(0, 2))
    table = arrow.table([column() for _ in names], names=names)
    if chance.random() < 0.3:
        said = chance.choice(
            [b"{}", b"[]", b"{", b'{"version": 1}', b'{"version": 1, "directed": 3}']
        )
        table = table.replace_schema_metadata({b"emv": said})
    file = io.BytesIO()
    parquet.write_table(table, file)
    return Input({"a.parquet": file.getvalue()}, "a.parquet")


_GRAMMARS: dict[str, Callable[[random.Random], Input | None]] = {
    "emv": _folder,
    "parquet": _parquet,
    "matrix-market": _matrix,
    "edge-list": _edge_list,
    "ncol": _ncol,
    "dimacs": _dimacs,
    "metis": _metis,
    "graphalytics": _graphalytics,
    "gap": _gap,
    "npz": _npz,
    "partition": _partition,
}
