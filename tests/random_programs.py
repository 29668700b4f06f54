"""Random programs: whole programs of the language as text, with graphs to run them on.

Usage: ``@given(cases())``, or ``case_of(seeded(7))`` for the case of a seed. A program is built
from functions that fit together (`random_functions`), so none is filtered away, and loops have
limits, so all of them end. `Case.text()` prints program, graph and call as a script.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from random_choices import Choices, drawn
from random_deliveries import Deliveries
from random_functions import FunctionText, indented
from random_model import FAMILIES, FLOATS, INTEGERS, Field, Function, Made, Message, Parameter

HEAD = """import math

import emv
from emv import (
    DisjointSet, Edge, EdgeList, Graph, Mask, Message, MessageList, Vertex, edge, elist, f32, f64,
    i8, i16, i32, i64, message, mlist, program, u8, u16, u32, u64, vertex,
)
"""

HELPERS = {
    "grain": ["def {}(x) -> f32:", "    return (int(x * 8) % 64) / 8"],
    "mixed": ["def {}(a, b) -> i64:", "    if a > b:", "        return a - b",
              "    return (a ^ b) + 1"],
    "wide": ["def {}(a, b: int) -> i64:", "    key = (a << 40) * 5 - (b << 58)",
             "    while key % 3 != 0:", "        key = -key // 2 + 1",
             "        if key > 0:", "            break", "    return key >> 44"],
    "stepped": ["def {}(a, b) -> f64:", "    found = 1", "    for k in range(4):",
                "        if k > a % 3:", "            return found // 2 + b % 8",
                "        if b > 2:", "            found = b % 8", "        found = found + 1",
                "    return found"],
}  # fmt: skip

COMBINERS = {
    "first": "first = emv.combiner(lambda a, b: b if a == 77 else a, 77)",
    "last": "last = emv.combiner(lambda a, b: a if b == 77 else b, 77)",
    "mixture": "mixture = emv.combiner(lambda a, b: a ^ b, 0)",
    "nearest": "nearest = emv.combiner(lambda a, b: b if abs(b - 9) < abs(a - 9) else a, 100)",
}

SWITCHES = ("carried", "mask")
"""Parts of the language that a program may have, unless they are left out.

There is also ``accumulated``: numbers that a loop adds up in a variable.
"""


@dataclass
class Case:
    """A program with a graph.

    Attributes
    ----------
    source : str
        The text of a module with a program `main`.
    graph : dict
        ``src``, ``dst``, ``num_vertices``, ``directed`` and the columns of vertices and of edges.
    arguments : dict
        What `main` takes.
    schedule : str
        The text of a schedule, ``None`` for none.
    features : dict
        How often the program has what.
    numbers : list of int
        The choices that made it.
    """

    source: str
    graph: dict[str, Any]
    arguments: dict[str, Any]
    schedule: str
    deterministic: bool
    features: dict[str, int]
    numbers: list[int] = field(default_factory=list, repr=False)
    spans: list[tuple[int, int]] = field(default_factory=list, repr=False)

    def text(self) -> str:
        """Return a script that runs it on a backend and eagerly."""
        graph = self.graph
        columns = [
            f"g.{kind}[{name!r}] = np.array({values}, np.{dtype})"
            for kind in ("vertices", "edges")
            for name, (dtype, values) in graph[kind].items()
        ]
        made = f"g = Graph.from_edges({graph['src']}, {graph['dst']}, num_vertices="
        made += f"{graph['num_vertices']}, directed={graph['directed']})"
        given = "".join(f", {name}={value!r}" for name, value in self.arguments.items())
        calls = [
            f"with emv.config.using(deterministic={self.deterministic}):",
            f'    print(main(g{given}, backend="python"))',
            f'    print(main(g{given}, backend="cpu", schedule={self.schedule}))',
        ]
        script = ["import numpy as np", made, *columns, *calls]
        return f"{self.source}\n\n" + "\n".join(script) + "\n"


class ProgramText(Deliveries):
    """Writes one program."""

    def write(self) -> str:
        """Return the module's text."""
        self.records()
        body = indented(self.body())
        made, lines = self.made, [HEAD]
        for which in sorted(made.helpers):
            lines += [line.format(made.helper_names[which]) for line in [*HELPERS[which], ""]]
        lines += [COMBINERS[name] for name in sorted(made.combiners)]
        lines += self.record("Spot(Vertex)", made.vertex_fields)
        lines += self.record("Line(Edge[Spot])", made.edge_fields)
        for name, fields in made.records.items():
            lines += ["", "", f"class {name}(Message):"]
            lines += [f"    {field}: {dtype}" for field, dtype in fields.items()]
        for text in made.texts:
            lines += ["", "", *text]
        given = "".join(f", {name}" for name in made.parameters)
        return "\n".join([*lines, "", "", "@program", f"def main(g{given}):", *body]) + "\n"

    def record(self, head: str, fields: list[Field]) -> list[str]:
        lines = [each.line() for each in fields]
        if head.startswith("Spot") and "mask" in self.made.features:
            lines.append("    front: Mask")
        return ["", "", f"class {head}:", *(lines or ["    pass"])]

    def records(self) -> None:
        """Choose the fields of vertices and edges."""
        made, choices = self.made, self.choices
        for kind, stem, most in (("vertex", "x", 4), ("edge", "w", 3)):
            fields = made.vertex_fields if kind == "vertex" else made.edge_fields
            for _ in choices.parts(most, 70):
                family = choices.pick(("int", "float", "int", "bool"))
                of = {"int": INTEGERS, "float": FLOATS, "bool": ("bool",)}
                dtype = choices.pick(of[family])
                default = None
                if choices.chance(70):
                    of = {"int": ("0", "1", "7", "120"), "float": ("0.0", "1.5", "-2.0")}
                    default = choices.pick(of.get(family, ("False", "True")))
                adds = family == "float" and choices.chance(40)
                if adds and choices.chance(30):
                    default = "emv.inf"
                fields.append(Field(made.field_name(kind, stem), dtype, default, adds))
                made.count(f"field:{dtype}", f"default:{default is not None}")

    # ---- functions that fit ----

    def new_function(
        self,
        kind: str,
        parameters: list[Parameter],
        message: Message | None = None,
        heard: Message | None = None,
        edges_only: bool = False,
    ) -> Function:
        """Write a function and return what is known of it."""
        made, choices = self.made, self.choices
        function = Function(made.name(f"{kind}_"), kind, parameters, message, heard=heard)
        function.edges_only = edges_only
        if kind != "message":
            for act, percent in (("activate", 50), ("keep_going", 20), ("halt", 8)):
                function.acts |= {act} if choices.chance(percent) else set()
            if message is not None and kind in ("vertex", "elist", "mlist"):
                function.acts |= {"send_to"} if choices.chance(30) else set()
            function.returns = choices.pick(FAMILIES) if choices.chance(35) else None
        made.texts.append(FunctionText(made, function).write())
        made.functions.append(function)
        made.count(f"kind:{kind}")
        return function


def case_of(choices: Choices, switches: frozenset[str] = frozenset(SWITCHES)) -> Case:
    """Return the case that some choices make.

    Parameters
    ----------
    switches : frozenset of str
        Those of `SWITCHES` that a program may have.
    """
    made = Made(choices, switches)
    source = ProgramText(made).write()
    graph = graph_of(made)
    arguments = {name: argument(choices, kind, graph) for name, kind in made.parameters.items()}
    words = ["None", "None", "None", "emv.by_superstep()", *LAYOUTS, "emv.all_active()"]
    schedule = choices.pick([*words, "emv.queue()", "emv.near_far(2.0)"])
    deterministic = choices.chance(15)
    made.count(f"schedule:{schedule}", f"deterministic:{deterministic}")
    return Case(
        source,
        graph,
        arguments,
        schedule,
        deterministic,
        dict(made.features),
        choices.numbers,
        choices.spans,
    )


LAYOUTS = [f"emv.layout('{name}')" for name in ("aa", "caa", "ell", "hybrid", "coo", "dia")]


def graph_of(made: Made) -> dict[str, Any]:
    """Choose a graph, with columns for the fields that have no default."""
    choices = made.choices
    n = choices.number(1 if made.needs_vertex else 0, choices.pick((6, 12, 2)))
    directed = made.needs_directed or not choices.chance(40)
    shape = choices.pick(("any", "star out", "star in", "path", "ring", "none", "dense"))
    pairs: list[tuple[int, int]] = []
    if n and shape in ("any", "dense"):
        count = choices.number(0, n * (4 if shape == "dense" else 2))
        pairs = [(choices.number(0, n - 1), choices.number(0, n - 1)) for _ in range(count)]
    elif shape.startswith("star"):
        pairs = [(0, leaf) for leaf in range(1, n)]
        pairs = [(b, a) for a, b in pairs] if shape == "star in" else pairs
    elif shape in ("path", "ring"):
        pairs = [(k, k + 1) for k in range(n - 1)] + ([(n - 1, 0)] * (shape == "ring" and n > 0))
    pairs += [choices.pick(pairs) for _ in range(choices.number(0, 2)) if pairs]
    made.count(f"graph:{shape}", "graph:directed" if directed else "graph:undirected")
    columns = {
        kind: {
            each.name: (DTYPES[each.dtype], [value(choices, each) for _ in range(rows)])
            for each in fields
            if each.default is None
        }
        for kind, fields, rows in (
            ("vertices", made.vertex_fields, n),
            ("edges", made.edge_fields, len(pairs)),
        )
    }
    src, dst = [a for a, _ in pairs], [b for _, b in pairs]
    return {"src": src, "dst": dst, "num_vertices": n, "directed": directed, **columns}


DTYPES = {f"{letter}{bits}": f"{word}{bits}" for letter, word in
          (("i", "int"), ("u", "uint"), ("f", "float")) for bits in (8, 16, 32, 64)}  # fmt: skip
DTYPES["bool"] = "bool"


def value(choices: Choices, of: Field) -> Any:
    """Choose an entry of a column."""
    if of.family == "bool":
        return choices.chance(50)
    if of.family == "float":
        return choices.pick((0.0, 1.0, 0.5, -1.5, 4.0, 2.25))
    return choices.pick((0, 1, 5, 100) if of.dtype[0] == "u" else (0, 1, -3, 100))


def argument(choices: Choices, kind: str, graph: dict[str, Any]) -> Any:
    """Choose an argument of the program."""
    n = graph["num_vertices"]
    if kind == "ids":
        return [choices.number(0, n - 1) for _ in range(choices.number(1, 3))] if n else []
    if kind == "id":
        return choices.number(0, n - 1)
    return choices.pick((1.0, 0.5, -2.0)) if kind == "float" else choices.pick((1, 0, 3, -2))


@st.composite
def cases(draw: st.DrawFn, switches: frozenset[str] = frozenset(SWITCHES)) -> Case:
    """Draw a program with a graph."""
    return case_of(drawn(draw, st.integers), switches)
