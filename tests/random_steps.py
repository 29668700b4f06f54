"""What a random program does: calls on domains, folds, fills, loops, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from random_loops import claiming, relaxing
from random_model import Function, Made, Message, Parameter

DTYPES = {"int": ("i32", "i64", "i16", "u8", "f64"), "float": ("f32", "f64"), "bool": ("bool",)}


@dataclass(frozen=True)
class Name:
    """A variable of the program: messages, values per vertex, or a number.

    ``families`` of its parts; ``message`` of messages; ``function`` that gave it.
    """

    text: str
    families: tuple[str, ...] = ()
    message: Message | None = None
    record: str | None = None
    from_messages: str = ""
    bounded: bool = True


class Steps:
    """Writes the body of a program; what `new_function` writes is above it."""

    def __init__(self, made: Made) -> None:
        self.made, self.choices = made, made.choices
        self.messages: list[Name] = []
        self.values: list[Name] = []
        self.numbers: list[Name] = []
        self.edge_values: list[Name] = []  # which only a result, or an aggregator, takes
        self.carried: list[Name] = []
        self.depth = 0

    def new_function(self, *args: Any, **named: Any) -> Function:
        raise NotImplementedError

    def handed_on(self, values: Name) -> list[str]:
        raise NotImplementedError

    def body(self) -> list[str]:
        lines = []
        if "carried" in self.made.switches and self.choices.chance(30):
            family = self.choices.pick(("int", "float"))
            name = Name(self.made.name("c"), (family,))
            lines.append(f"{name.text} = {'0' if family == 'int' else '0.0'}")
            self.carried.append(name)
            self.numbers.append(name)
        lines += self.block(4)
        return [*lines, *self.result()]

    def block(self, count: int) -> list[str]:
        lines: list[str] = []
        for _ in self.choices.parts(count):
            forms = ["deliver", "plain", "deliver", "fill", "fold_column", "number", "fill"]
            forms += ["loop", "loop", "relax"] if self.depth < 2 else []
            form = self.choices.pick(forms)
            self.made.count(f"step:{form}")
            lines += getattr(self, f"write_{form}")()
        return lines

    # ---- domains and arguments ----

    def domain(self, function: Function, messages: str = "") -> str:
        """Choose a domain that a function may be applied to."""
        kinds = ["g", "active", "active", "only", "vertices", "only_one"]
        if function.kind == "edge":
            kinds += ["edges", "edges", "active_edges"]
        if function.edges_only:
            kinds = ["edges", "active_edges"]
        elif messages:
            kinds += ["receivers"] * 5
        elif self.messages:
            kinds += ["receivers"]
        if "mask" in self.made.switches and not function.edges_only:
            kinds += ["mask"]
        kind = self.choices.pick(kinds)
        self.made.count(f"domain:{kind}", f"{function.kind} over {kind}")
        if kind == "mask":
            self.made.count("mask")
            return "g.vertices.front"
        if kind == "only":
            return f"g.only({self.made.ask('ids', 'ids')})"
        if kind == "only_one":
            self.made.needs_vertex = True
            return f"g.only({self.made.ask('id', 'start')})"
        if kind == "receivers":
            return f"{messages or self.choices.pick(self.messages).text}.receivers"
        return "g" if kind == "g" else f"g.{kind}"

    def number_parameters(self) -> list[Parameter]:
        """Return one parameter for a number, or none."""
        if not self.choices.chance(40):
            return []
        family = self.choices.pick(("int", "float"))
        dtype = self.choices.pick(DTYPES[family])
        return [Parameter(self.made.name("p"), (dtype,))]

    def arguments(self, function: Function, values: dict[str, str]) -> str:
        """Return the text of the arguments, each named."""
        made = []
        for each in function.parameters:
            given = values.get(each.name)
            if each.source in ("num_vertices", "num_edges"):
                given = f"g.{each.source}"
            elif given is None:
                given = self.number(each.families[0])
            made.append(f", {each.name}={given}")
        return "".join(made)

    def number(self, family: str) -> str:
        """Choose a number of the program that fits a family."""
        found = [each.text for each in self.numbers if each.families[0] == family]
        found = [*found, *found]
        chosen = str(self.choices.pick([*({"int": "2", "float": "1.5"}[family],), *found, "?"]))
        if chosen == "?":
            self.made.count("number:parameter")
            return self.made.ask(family, {"int": "k", "float": "z"}[family])
        if chosen in found and self.choices.chance(30):
            return f"({chosen} {self.choices.pick('+-*')} 2)"
        return chosen

    def function_kind(self, sends: bool) -> str:
        return str(self.choices.pick(("edge", "edge", "elist", "vertex")))

    # ---- steps ----

    def write_plain(self) -> list[str]:
        """Apply a function that sends nothing, and keep what it returns."""
        returned = [each for each in self.values if each.bounded]
        if returned and self.choices.chance(40):
            return self.handed_on(self.choices.pick(returned))
        kind = self.choices.pick(("vertex", "edge", "vertex", "elist"))
        only = kind == "edge" and self.choices.chance(50)
        return self.apply(self.new_function(kind, self.number_parameters(), edges_only=only))

    def apply(self, function: Function, values: dict[str, str] | None = None, to: str = "") -> Any:
        """Apply a function to a domain; keep what it returns."""
        domain = self.domain(function, to)
        call = f"{function.name}({domain}{self.arguments(function, values or {})})"
        if function.returns is None:
            return [call]
        if self.choices.chance(40):
            name = Name(self.made.name("r"), (function.returns,))
            (self.edge_values if function.kind == "edge" else self.values).append(name)
            self.made.count("returned values")
            return [f"{name.text} = {call}"]
        return self.aggregate(call, function.returns)

    def aggregate(self, values: str, family: str) -> list[str]:
        """Fold values into a number, a new one or one that the loop carries."""
        word = self.choices.pick(("total", "count", "largest", "smallest"))
        gives = "float" if family == "float" and word != "count" else "int"
        self.made.count(f"aggregator:{word}")
        carried = [each for each in self.carried if each.families == (gives,)]
        bounded = word in ("total", "count")
        if carried and bounded and self.choices.chance(60):
            self.made.count("carried")
            name = self.choices.pick(carried)
            kept = self.choices.pick(("", f"{name.text} + "))
            kept = kept if "accumulated" in self.made.switches else ""
            return [f"{name.text} = {kept}emv.{word}({values})"]
        name = Name(self.made.name("t"), (gives,))
        if bounded:
            self.numbers.append(name)
        return [f"{name.text} = emv.{word}({values})"]

    def write_number(self) -> list[str]:
        """Aggregate a column, or values there are."""
        fields = [("vertices", each) for each in self.made.vertex_fields]
        if fields and (not self.values or self.choices.chance(50)):
            kind, field = self.choices.pick(fields)
            if not self.declared(kind) or field.default is None:
                return self.write_plain()
            self.made.count("aggregator:column")
            return self.aggregate(f"g.{kind}.{field.name}", field.family)
        name = self.choices.pick(self.values) if self.values else Name("")
        if len(name.families) != 1 or not name.bounded:
            return self.write_plain()
        return self.aggregate(name.text, name.families[0])

    def declared(self, kind: str) -> bool:
        """Return whether a function names the record whose fields these are."""
        kinds = {each.kind for each in self.made.functions}
        return bool(kinds & ({"edge", "elist"} if kind == "edges" else {"vertex", *kinds}))

    def write_fill(self) -> list[str]:
        """Fill a column with a number, a column, or values."""
        made = self.made
        if not made.functions or not made.vertex_fields:
            return self.write_plain()
        field = self.choices.pick(made.vertex_fields)
        values = [each for each in self.values if each.families in (("int",), ("bool",))]
        if values and self.choices.chance(60):
            given = self.choices.pick(values)
            fields = [each for each in made.vertex_fields if (each.family,) == given.families]
            if fields:
                made.count("fill:values")
                return [f"g.vertices.{self.choices.pick(fields).name}[:] = {given.text}"]
        family, place = field.family, f"g.vertices.{field.name}[:]"
        if self.choices.chance(40):
            others = [each for each in made.vertex_fields if each.family == family]
            other = self.choices.pick(others)
            if other.default is not None and field.adds == other.adds:
                made.count("fill:column")
                return [f"{place} = g.vertices.{other.name}"]
        made.count("fill:number")
        number = "True" if family == "bool" else {"int": "4", "float": "2.5"}[family]
        return [f"{place} = {number}"]

    def write_fold_column(self) -> list[str]:
        """Fold a column of edges per source or destination."""
        fields = [each for each in self.made.edge_fields if not each.adds]
        if not fields or not self.declared("edges"):
            return self.write_plain()
        field = self.choices.pick(fields)
        word = self.choices.pick(("sum", "min", "max", "any", "all"))
        if field.family == "bool" and word in ("min", "max"):
            word = "any"
        by = self.choices.pick(("src", "dst"))
        self.made.count(f"fold column by {by}", f"combiner:{word}")
        name = Name(self.made.name("f"), (folded(word, field.family),), bounded=False)
        self.values.append(name)
        line = f"{name.text} = emv.{word}(g.edges.{field.name}, by={by!r})"
        return [line, *self.handed_on(name)]

    # ---- loops ----

    def write_loop(self) -> list[str]:
        """Loop over supersteps, a few."""
        kept = self.messages, self.values, self.edge_values, self.numbers
        known = list(map(len, kept))
        step, limit = self.made.name("step"), str(self.choices.pick(("3", "2", "4", "?")))
        if limit == "?":
            limit = f"{self.made.ask('int', 'k')} % 3 + 1"
        self.numbers.append(Name(step, ("int",)))
        self.depth += 1
        self.made.count(f"loop:{self.depth}")
        lines = self.block(3)
        self.depth -= 1
        until = ""
        numbers = self.numbers[known[3] :]
        if numbers and self.choices.chance(30):
            tested = self.choices.pick(numbers).text
            self.made.count("loop:until")
            until = f", until=lambda: {tested} {self.choices.pick(('>', '<', '=='))} 2"
        for names, length in zip(kept, known, strict=True):
            del names[length:]  # a loop may run no superstep
        head = f"for {step} in g.supersteps({limit}{until}):"
        return [head, *(f"    {line}" for line in lines or ["pass"])]

    def write_relax(self) -> list[str]:
        """Loop as traversals do: the active offer, who is offered less, or had none, takes it."""
        whole = [each for each in self.made.vertex_fields if each.dtype in ("i16", "i32", "i64")]
        if whole and self.choices.chance(50):
            return claiming(self, self.choices.pick(whole))
        floats = [each for each in self.made.vertex_fields if each.adds]
        floats += [each for each in self.made.vertex_fields if each.dtype in ("i32", "i64")]
        if not floats:
            return self.write_loop()
        field = self.choices.pick(floats)
        weights = [each for each in self.made.edge_fields if each.family == field.family]
        weights = [each for each in weights if not each.adds and each.dtype[0] != "u"]
        word = self.choices.pick(("min", "max"))
        return relaxing(self, field, self.choices.pick([None, *weights]), word)

    # ---- results ----

    def result(self) -> list[str]:
        """Return every column, and some of the values and numbers."""
        made = self.made
        shown = []
        if self.declared("vertices"):
            shown += [f"g.vertices.{each.name}" for each in made.vertex_fields]
        if self.declared("edges"):
            shown += [f"g.edges.{each.name}" for each in made.edge_fields]
        shown += [
            each.text for each in (*self.values, *self.edge_values) if self.choices.chance(60)
        ]
        shown += [each.text for each in self.numbers if self.choices.chance(60)]
        made.count("result:columns")
        return [f"return {', '.join(shown)},"] if shown else ["return g.num_vertices"]


def folded(word: str, family: str) -> str:
    """Return the family of what messages fold to."""
    if word in ("any", "all"):
        return "bool"
    return "int" if word in ("sum", "prod") and family == "bool" else family
