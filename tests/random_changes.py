"""Random scripts of changes, and what they mean in plain Python: dictionaries in order.

A `Model` keeps vertices by name and edges by key. A `Script` draws changes with every verb, makes
them to a graph and to its model, and compares the two, the graph with one built anew of what the
model holds, and earlier versions with what they were.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csgraph

from emv import Graph
from emv.algorithms import bfs, components, pagerank, sssp

EDGE_COLUMNS = {"weight": "f8", "count": "i4", "flag": "?", "small": "u1"}
VERTEX_COLUMNS = {"rank": "f4", "mark": "?"}
VERBS = (
    "add_edges",
    "remove_keys",
    "remove_mask",
    "remove_pairs",
    "add_vertices",
    "remove_vertices",
    "many",
    "in_place",
    "back",
)


@dataclass
class Model:
    """A graph as dictionaries: names to columns, and keys to ends and columns."""

    directed: bool
    vertices: dict = field(default_factory=dict)
    edges: dict = field(default_factory=dict)
    next_vertex: int = 0
    next_key: int = 0

    def copied(self):
        """Return a model that changes apart from this one; fields never change."""
        names = self.next_vertex, self.next_key
        return Model(self.directed, dict(self.vertices), dict(self.edges), *names)

    def change(self, new_vertices, new_edges, gone_vertices, gone_keys, gone_pairs):
        """Make a change and return how many new edges it drops: removal beats addition."""
        self.vertices |= new_vertices
        first_new = self.next_key
        for edge in new_edges:
            self.edges[self.next_key] = edge
            self.next_key += 1
        gone, bad, pairs = set(gone_vertices), set(gone_keys), set(gone_pairs)
        for key, (src, dst, _) in self.edges.items():
            is_paired = (src, dst) in pairs or (not self.directed and (dst, src) in pairs)
            if src in gone or dst in gone or is_paired:
                bad.add(key)
        for key in bad:
            del self.edges[key]
        for name in gone:
            del self.vertices[name]
        return sum(key >= first_new for key in bad)

    def columns(self):
        """Return src and dst as ids, and the columns of edges and vertices as arrays."""
        ids = {name: vertex for vertex, name in enumerate(self.vertices)}
        src = np.array([ids[src] for src, _, _ in self.edges.values()], np.int64)
        dst = np.array([ids[dst] for _, dst, _ in self.edges.values()], np.int64)
        of_edges = {
            name: np.array([fields[name] for *_, fields in self.edges.values()], dtype)
            for name, dtype in EDGE_COLUMNS.items()
        }
        of_vertices = {
            name: np.array([fields[name] for fields in self.vertices.values()], dtype)
            for name, dtype in VERTEX_COLUMNS.items()
        }
        return src, dst, of_edges, of_vertices

    def built(self):
        """Return a graph built anew."""
        src, dst, of_edges, of_vertices = self.columns()
        made = Graph.from_edges(
            src, dst, num_vertices=len(self.vertices), directed=self.directed, **of_edges
        )
        for name, values in of_vertices.items():
            made.vertices[name] = values
        return made


def same(found, expected, what):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype, f"{what} is {found.dtype}, not {expected.dtype}"
    np.testing.assert_array_equal(found, expected, what)


class Script:
    """A random script of changes.

    Parameters
    ----------
    seed : int
        Of all draws.
    directed, labelled : bool
        The kind of graph; vertices with labels of the user have texts.
    size : int
        Vertices that there are at first, and about which number they stay.
    """

    def __init__(self, seed, directed, labelled=False, size=12):
        self.draw = random.Random(seed)
        self.labelled, self.size = labelled, size
        self.model = Model(directed)
        self.dropped = self.made = 0
        names = self._new_vertices(size)
        self.model.vertices |= names
        src, dst, of_edges, of_vertices = self.model.columns()
        labels = list(names) if labelled else None
        self.graph = Graph.from_edges(
            src, dst, num_vertices=size, directed=directed, labels=labels, **of_edges
        )
        for name, values in of_vertices.items():
            self.graph.vertices[name] = values
        self.earlier = []

    # Draws.

    def _fields(self, columns):
        kinds = {"f": lambda: self.draw.randrange(64) / 8, "?": lambda: self.draw.random() < 0.5}
        return {
            name: kinds.get(dtype[0], lambda: self.draw.randrange(200))()
            for name, dtype in columns.items()
        }

    def _new_vertices(self, count):
        first = self.model.next_vertex
        self.model.next_vertex += count
        numbers = range(first, first + count)
        return {
            f"v{number}" if self.labelled else number: self._fields(VERTEX_COLUMNS)
            for number in numbers
        }

    def _new_edges(self, names, count):
        if not names:
            return []
        few = names[: max(1, len(names) // 4)]  # parallel edges, loops and hubs
        pools = self.draw.choices([names, few], k=count)
        return [
            (self.draw.choice(pool), self.draw.choice(pool), self._fields(EDGE_COLUMNS))
            for pool in pools
        ]

    def _some(self, of, most):
        of = list(of)
        return self.draw.sample(of, min(len(of), self.draw.randrange(most + 1)))

    def _some_pairs(self, most):
        pairs = [(src, dst) for src, dst, _ in self._some(self.model.edges.values(), most)]
        return [
            (dst, src) if not self.model.directed and self.draw.random() < 0.5 else (src, dst)
            for src, dst in pairs
        ]

    # Changes.

    def step(self, most=8):
        """Make a change with a verb, of at most so many elements each, and compare."""
        verb = self.draw.choice(VERBS)
        if verb != "back":
            self._remember()
        getattr(self, f"_{verb}")(most)
        return verb

    def _remember(self):
        self.earlier.append((self.graph, self.model.copied()))
        del self.earlier[: -self.draw.randrange(1, 5)]

    @staticmethod
    def _columns_of(rows, columns):
        return {
            name: np.array([fields[name] for fields in rows], dtype)
            for name, dtype in columns.items()
        }

    def _added_edges(self, edges):
        return (
            [src for src, _, _ in edges],
            [dst for _, dst, _ in edges],
            self._columns_of([fields for *_, fields in edges], EDGE_COLUMNS),
        )

    def _add_edges(self, most):
        edges = self._new_edges(list(self.model.vertices), self.draw.randrange(3 * most + 1))
        src, dst, columns = self._added_edges(edges)
        self.graph = self.graph.add_edges(src, dst, **columns)
        self._change({}, edges, [], [], [])

    def _remove_keys(self, most):
        keys = self._some(self.model.edges, most)
        self.graph = self.graph.remove_edges(keys + keys[:1])
        self._change({}, [], [], keys, [])

    def _remove_mask(self, most):
        keys = set(self._some(self.model.edges, most))
        mask = np.array([key in keys for key in self.model.edges], bool)
        self.graph = self.graph.remove_edges(mask)
        self._change({}, [], [], keys, [])

    def _remove_pairs(self, most):
        pairs = self._some_pairs(most // 2)
        self.graph = self.graph.remove_edges(
            src=[src for src, _ in pairs], dst=[dst for _, dst in pairs]
        )
        self._change({}, [], [], [], pairs)

    def _add_vertices(self, most):
        room = max(0, 2 * self.size - len(self.model.vertices))
        new = self._new_vertices(min(room, self.draw.randrange(most + 1)))
        columns = self._columns_of(new.values(), VERTEX_COLUMNS)
        labels = list(new) if self.labelled else None
        self.graph = self.graph.add_vertices(len(new), labels, **columns)
        self._change(new, [], [], [], [])

    def _remove_vertices(self, most):
        names = self._some(self.model.vertices, most // 2)
        if self.draw.random() < 0.5:
            self.graph = self.graph.remove_vertices(names)
        else:
            self.graph = self.graph.remove_vertices(
                np.array([name in set(names) for name in self.model.vertices], bool)
            )
        self._change({}, [], names, [], [])

    def _many(self, most):
        new = self._new_vertices(self.draw.randrange(most // 2 + 1))
        names = [*self.model.vertices, *new]
        edges = self._new_edges(names, self.draw.randrange(3 * most + 1))
        gone = self._some(names, most // 4)
        keys, pairs = self._some(self.model.edges, most), self._some_pairs(most // 4)
        pairs += [(src, dst) for src, dst, _ in self._some(edges, 1)]
        with self.graph.changes() as c:
            columns = self._columns_of(new.values(), VERTEX_COLUMNS)
            given = c.add_vertices(len(new), list(new) if self.labelled else None, **columns)
            assert given.tolist() == list(new)
            calls = [lambda: c.remove_vertices(gone), lambda: c.remove_edges(keys)]
            calls.append(
                lambda: c.remove_edges(src=[p[0] for p in pairs], dst=[p[1] for p in pairs])
            )
            half = len(edges) // 2
            for part in (edges[:half], edges[half:]):
                src, dst, columns = self._added_edges(part)
                calls.append(lambda s=src, d=dst, f=columns: c.add_edges(s, d, **f))
            last = calls.pop()  # keys go in this order
            self.draw.shuffle(calls)
            calls.append(last)
            for call in calls:
                call()
        self.graph = c.graph
        assert c.dropped == self._change(new, edges, gone, keys, pairs)
        self.dropped += c.dropped

    def _in_place(self, most):
        """Let the newest version grow in place, which must not be seen in the others."""
        self.graph = self.graph.add_edges([], [], **self._columns_of([], EDGE_COLUMNS))
        (edge,) = self._new_edges(list(self.model.vertices), 1) or [None]
        if edge is not None:
            self.graph.add_edge(edge[0], edge[1], **edge[2])
        new = self._new_vertices(1)
        for name, fields in new.items():
            self.graph.add_vertex(name if self.labelled else None, **fields)
        self._change(new, [edge] if edge else [], [], [], [])

    def _back(self, most):
        """Go on from an earlier version, beside the later ones."""
        if self.earlier:
            self.graph, model = self.earlier[0]
            self.model = model.copied()

    def _change(self, *what):
        self.made += sum(map(len, what))
        return self.model.change(*what)

    # Comparisons.

    def compare(self):
        """Compare graph and model, and what is left of earlier versions."""
        matches(self.graph, self.model)
        for graph, model in self.earlier[:1]:
            matches(graph, model)


def matches(graph, model):
    """Compare a graph with its model, and its index arrays with those of a graph built anew."""
    names = list(model.vertices)
    labels = graph.labels
    assert (list(range(graph.num_vertices)) if labels is None else labels.tolist()) == names
    assert graph.edge_keys.tolist() == list(model.edges)
    anew = model.built()
    same(graph.edges.src, anew.edges.src, "src")
    same(graph.edges.dst, anew.edges.dst, "dst")
    for name in EDGE_COLUMNS:
        same(graph.edges[name], anew.edges[name], name)
    for name in VERTEX_COLUMNS:
        same(graph.vertices[name], anew.vertices[name], name)
    same_layouts(graph.layouts, anew.layouts)


def same_layouts(found, anew):
    """Compare all index arrays and columns that were built with those of a graph built anew."""
    assert (found.num_arcs, found.arcs_are_edges) == (anew.num_arcs, anew.arcs_are_edges)
    for name in list(found._arrays):
        same(found.array(name), anew.array(name), name)
    for (name, dtype, order), _, values in list(found.kept_columns()):
        same(values, anew.edge_column(name, np.dtype(dtype), order), f"{name} by {order}")


def ran_alike(graph, anew, backend):
    """Run some programs on both graphs and compare what they find, to the bit."""
    runs = [
        lambda g: components(g, backend=backend),
        lambda g: pagerank(g, 0.5, tol=1e-2, backend=backend),
    ]
    if graph.num_vertices:
        runs.append(lambda g: bfs(g, g.num_vertices // 2, backend=backend))
        runs.append(lambda g: sssp(g, 0, backend=backend))
    for run in runs:
        same(np.asarray(run(graph)), np.asarray(run(anew)), f"a result on {backend}")


def expected_of(model):
    """Return what programs find on what a model holds: numpy's and scipy's results, not emv's."""
    src, dst, of_edges, _ = model.columns()
    weight, size = of_edges["weight"], len(model.vertices)
    if not model.directed:  # a loop leads one way
        back = src != dst
        src, dst = np.append(src, dst[back]), np.append(dst, src[back])
        weight = np.append(weight, weight[back])
    least = np.full((size, size), np.inf)
    np.minimum.at(least, (src, dst), weight)
    links = csgraph.csgraph_from_dense(least, null_value=np.inf)
    expected = {"pagerank": ranks_of(src, dst, size)}
    _, group = csgraph.connected_components(links, directed=False)
    _, first = np.unique(group, return_index=True)
    expected["components"] = first[group]
    if size:
        expected["sssp"] = csgraph.dijkstra(links, indices=0)
        hops = csgraph.dijkstra(links, indices=0, unweighted=True)
        expected["bfs"] = np.where(np.isinf(hops), -1, hops)
    return expected


def ranks_of(src, dst, size):
    """Return PageRanks that move less than 1e-9 in all; who has no link gives to everybody."""
    degree = np.bincount(src, minlength=size)
    rank, change = np.full(size, 1 / max(1, size)), 1.0
    while size and change > 1e-9:
        sent = np.bincount(dst, (rank / np.maximum(1, degree))[src], minlength=size)
        before, rank = rank, 0.15 / size + 0.85 * (sent + rank[degree == 0].sum() / size)
        change = np.abs(rank - before).sum()
    return rank


class Brought:
    """Results that `update` brings from version to version of a script, on a backend."""

    def __init__(self, backend):
        self._backend, self._runs = backend, {}
        self.went_on = self.anew = 0

    def compare(self, graph, model):
        """Bring all results to a version, and compare them with those of numpy and scipy."""
        programs = {"components": (components, ()), "pagerank": (pagerank, ())}
        if graph.num_vertices:
            programs |= {"sssp": (sssp, (0,)), "bfs": (bfs, (0,))}
        else:
            self._runs.pop("sssp", None)
            self._runs.pop("bfs", None)
        expected = expected_of(model)
        for name, (program, args) in programs.items():
            run = self._runs.get(name)
            if run is None:
                run = program.run(graph, *args, backend=self._backend)
            else:
                run = program.update(run, graph)
                self.anew += run.updated.startswith("anew")
                self.went_on += not run.updated.startswith("anew")
            self._runs[name] = run
            found = np.asarray(run.result)
            if name == "pagerank":
                np.testing.assert_allclose(found, expected[name], atol=2e-5, err_msg=name)
            else:
                what = f"{name}, brought along: {run.updated}"
                np.testing.assert_array_equal(found, expected[name], what)
