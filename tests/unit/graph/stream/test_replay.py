"""Streams of changes, from files of every kind, against queues of edges in plain Python."""

import gzip
import io
import random

import numpy as np
import pytest

import emv
from emv import Graph
from emv.algorithms import components, sssp
from emv.errors import ArgumentError, ColumnError, GraphError, GraphFormatError

COLUMN = {"list": "time", "script": "weight", "table": "km", "texts": "km"}
HEADER = {"table": ["src;km;dst;sign"], "texts": ["from,to,op,km"]}


class Stream:
    """Random changes, as lines of a file and as what they mean: the edges of a pair are a queue."""

    def __init__(self, kind, directed, count):
        self.draw = random.Random(f"{kind} {directed}")
        self.kind, self.directed = kind, directed
        self.queues, self.seen, self.lines = {}, {}, list(HEADER.get(kind, []))
        self.states = []
        for _ in range(count):
            removes = kind != "list" and self.queues and self.draw.random() < 0.45
            self.lines.append(self._removed() if removes else self._added())
            self.states.append({pair: list(queue) for pair, queue in self.queues.items()})

    def _added(self):
        src, dst = (self.draw.randrange(12) ** 2 for _ in range(2))
        value = self.draw.randrange(50)
        for each in (src, dst):
            self.seen.setdefault(each, len(self.seen))
        self.queues.setdefault(self.pair(src, dst), []).append(value)
        return {
            "list": f"{src} {dst} {value}",
            "script": f"+ {src}\t{dst} {value}",
            "table": f"{src};{value};{dst};+",
            "texts": f"v{src},v{dst},add,{value}",
        }[self.kind]

    def _removed(self):
        src, dst = self.draw.choice(list(self.queues))
        self.queues[src, dst].pop(0)
        if not self.queues[src, dst]:
            del self.queues[src, dst]
        if not self.directed and self.draw.random() < 0.5:
            src, dst = dst, src
        return {
            "script": self.draw.choice([f"- {src} {dst}", f"d {src}  {dst} 7"]),
            "table": f"{src};0;{dst};-",
            "texts": f"v{src},v{dst},DEL,0",
        }[self.kind]

    def pair(self, src, dst):
        return (src, dst) if self.directed or src <= dst else (dst, src)

    def of(self, graph):
        """Return the edges of a graph as queues."""
        names = [int(str(each).lstrip("v")) for each in graph.labels.tolist()]
        assert names == list(self.seen)[: len(names)]
        found = {}
        columns = graph.edges.src, graph.edges.dst, graph.edges[COLUMN[self.kind]]
        for src, dst, value in zip(*(each.tolist() for each in columns), strict=True):
            found.setdefault(self.pair(names[src], names[dst]), []).append(value)
        return found


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", list(COLUMN))
def test_every_version_of_a_file_is_what_plain_python_says(kind, directed, tmp_path, monkeypatch):
    monkeypatch.setattr("emv.graph.io.text.CHUNK_BYTES", 700)
    stream = Stream(kind, directed, 900)
    path = tmp_path / "changes.txt.gz"
    path.write_bytes(gzip.compress(("\n".join(stream.lines) + "\n").encode()))
    count = 0
    for version in emv.replay(path, batch=130, directed=directed):
        count += 1
        assert version.number == count
        assert version.changes == min(130 * count, 900)
        assert stream.of(version.graph) == stream.states[version.changes - 1]
        assert version.graph.directed == directed
        if kind == "list":
            assert version.time == version.graph.edges.time[-1]
    assert count == 7


def test_blocks_larger_than_batches_and_batches_larger_than_blocks(monkeypatch):
    monkeypatch.setattr("emv.graph.io.text.CHUNK_BYTES", 64)
    lines = b"".join(b"%d %d\n" % (each, each + 1) for each in range(300))
    for batch in (1, 7, 300, 1000):
        versions = list(emv.replay(io.BytesIO(lines), batch=batch))
        assert [each.changes for each in versions] == [
            min(300, batch * number) for number in range(1, -(-300 // batch) + 1)
        ]
        assert versions[-1].graph.edges.dst.tolist() == list(range(1, 301))
        assert versions[-1].time is None


def test_rows_and_tables_of_python():
    rows = [("+", "ann", "bob", {"km": 2}), ("+", "bob", "cy", {"km": 0.5}), ("-", "bob", "ann")]
    tables = {"src": ["cy", "ann"], "dst": ["ann", "ann"], "km": np.array([1.0, 3.0])}
    signed = {"src": ["cy"], "dst": ["bob"], "Op": ["-"]}
    versions = list(emv.replay([*rows, tables, signed], batch=3, directed=False))
    assert [each.graph.edges.km.tolist() for each in versions] == [[0.5], [1.0, 3.0]]
    assert versions[-1].graph.labels.tolist() == ["ann", "bob", "cy"]
    with_times = list(emv.replay(iter([("+", 5, 6, {"time": 30})]), batch=1))
    assert (with_times[0].time, with_times[0].graph.labels.tolist()) == (30, [5, 6])


def test_a_graph_to_begin_with_stays_as_it_is():
    g = Graph.from_edges([0, 1], [1, 2], labels=[10, 30, 20])
    (version,) = emv.replay([("-", 10, 30), ("+", 20, 40)], g)
    assert (g.num_edges, version.graph.labels.tolist()) == (2, [10, 30, 20, 40])
    assert [each.tolist() for each in version.graph.edges.endpoints()] == [[1, 2], [2, 3]]
    (by_id,) = emv.replay([("+", 2, 0)], Graph.from_edges([0, 1], [1, 2]))
    assert by_id.graph.labels is None
    with pytest.raises(GraphError, match=r"ends at 3, and the graph has vertices 0\.\.2 and no"):
        list(emv.replay([("+", 3, 0)], Graph.from_edges([0, 1], [1, 2])))


def test_results_are_brought_along():
    rows = [("+", each, each + 1, {"weight": 1.0}) for each in range(6)]
    updated = []
    for version in emv.replay(rows, batch=2, program=components, arguments={"backend": "python"}):
        assert version.result.tolist() == [0] * version.graph.num_vertices
        updated.append(version.run.updated)
    assert updated[0] is None
    assert updated[1].endswith("2 new edges")
    arguments = {"source": 0, "backend": "python"}
    *_, last = emv.replay(rows, batch=4, program=sssp, arguments=arguments)
    assert last.run.updated == "dist went on from the ends of 2 new edges"
    assert last.result.tolist() == list(range(7))


def test_files_without_a_change_give_no_version():
    assert list(emv.replay(io.BytesIO(b"# nothing yet\n"))) == []
    assert list(emv.replay([])) == []


def test_a_bar_tells_how_far_a_file_is(monkeypatch):
    drawn = []

    class Bar:
        n = 0

        def __init__(self, desc, total, unit):
            drawn.append((desc, total, unit))

        def set_postfix_str(self, text, refresh):
            drawn.append(text)

        def update(self, count):
            self.n += count

        def close(self):
            drawn.append(self.n)

    monkeypatch.setattr("emv.runtime.replaying.FIRST_S", 0)
    monkeypatch.setattr("emv.runtime.progress.required", lambda name: type("m", (), {"tqdm": Bar}))
    file = io.BytesIO(b"1 2\n2 3\n3 4\n")
    with emv.config.using(progress="on"):
        list(emv.replay(file, batch=2))
        list(emv.replay([("+", 1, 2)]))
    assert drawn[:3] == [("replay", 12, " bytes"), "2 changes", "3 changes"]
    assert drawn[4:] == [("replay", None, " changes"), "1 changes", 1]


SAID_OF_FILES = [
    ("+ 1 2\n? 2 3\n", r"a\.txt:2: '\? 2 3' does not begin with \+ or -"),
    ("+ 1 2\n- 2 1\n", r"a\.txt:2: no edge joins 2 and 1 by then"),
    ("# one\n+ 1 2\n\n- 1 2\n- 1 2\n", r"a\.txt:5: no edge joins 1 and 2 by then"),
    ("+ 1 2\n- 1 7\n", r"a\.txt:2: no edge joins 1 and 7"),
    ("+ 1 2 3 # a\n+ 2 3\n", r"a\.txt:2: '  2 3' has 2 fields, expected 3: source, target, weight"),
    ("+ 1 2 # a\n+ 2 3 4\n", r"a\.txt:2: '  2 3 4' has 3 fields, expected 2: source, target"),
    ("1 2 3\n2 3\n", r"a\.txt:2: '2 3' has 2 fields"),
    ("1 2 1 9\n", r"a\.txt:1: '1 2 1 9' has 4 fields, and does not say which is a time"),
    ("src,dst,op\n1,2,maybe\n", "column 'op' says 'maybe', which is neither"),
    ("src,dst,sign\n1,2,+\n2,3,-\n", r"a\.txt:3: no edge joins 2 and 3"),
    ("src,dst,sign\n1.5,2,+\n", "column 'src' of ids is float64, neither whole numbers nor"),
]


@pytest.mark.parametrize(("text", "said"), SAID_OF_FILES)
def test_what_is_no_change_is_an_error_with_its_line(text, said, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(GraphFormatError, match=said):
        list(emv.replay(path))


@pytest.mark.parametrize(
    ("rows", "error", "said"),
    [
        ([("+", 1, 2), ("-", 2, 1)], GraphError, "change 1: no edge joins 2 and 1 by then"),
        ([("+", 1, 2), (1, 2)], ArgumentError, r"change 1 is \(1, 2\)\nexpected"),
        ([{"source": [1]}], ArgumentError, "change 0 is a dict without src and dst"),
        ([{"src": [1], "dst": [1, 2]}], ArgumentError, "not all as long as src"),
        ([{"src": [1], "dst": [2], "sign": ["x"]}], ArgumentError, "sign says 'x'"),
        ([("+", 1, 2, {"a": 1}), ("+", 1, 2)], ColumnError, "some edges come with a column 'a'"),
    ],
)
def test_rows_that_are_no_changes(rows, error, said):
    with pytest.raises(error, match=said):
        list(emv.replay(rows))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"batch": 0}, "batch is 0"),
        ({"program": len}, "expected a function that @program decorates"),
        ({"arguments": {"source": 0}}, "arguments are given, but no program"),
        ({"graph": 3}, "graph is 3"),
        ({"graph": Graph(), "directed": True}, "and a graph, which is directed\nleave directed="),
        ({"directed": 2}, "directed is 2"),
        ({"source": "a"}, "source= is given, but the changes are no file"),
        ({"vertices": "a"}, r"there is no option 'vertices'"),
        ({"changes": 3}, "changes is 3\nexpected a file or an iterable"),
    ],
)
def test_arguments_that_say_nothing_are_refused_at_once(named, said):
    with pytest.raises(ArgumentError, match=said):
        emv.replay(**{"changes": [], **named})
    with pytest.raises(GraphFormatError, match="is a folder, not a file of changes"):
        list(emv.replay("."))
    table = io.BytesIO(b"src,dst,kind\n1,2,a\n")
    with pytest.raises(ArgumentError, match="codes are places among all values of the file"):
        list(emv.replay(table, columns={"kind": "codes"}))
