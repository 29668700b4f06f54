"""What random functions send, vote and return, and the locals that they compute."""

from __future__ import annotations

from dataclasses import dataclass

from random_expressions import Expressions, Scope
from random_model import BITS, FRAC, Function, Made, Message, Parameter, Term
from random_names import TAKEN, Names

CASTS = {"int": ("", "i32", "i64", "i16", "u8", "i8", "u32"), "float": ("", "f32", "f64")}


@dataclass(frozen=True)
class Element:
    """A name for a vertex or an edge; ``own`` when the instance may write it freely."""

    name: str
    kind: str
    own: bool


class Sends:
    """Writes what of a function leaves it."""

    def __init__(self, made: Made, function: Function) -> None:
        self.made, self.function, self.choices = made, function, made.choices
        self.expressions = Expressions(made)
        self.modes: dict[tuple[str, str], str] = {}
        used = [*made.records, *made.helper_names.values()]
        used += [each.name for each in function.parameters]
        self.names = Names(self.choices, [*TAKEN, *used])
        self.has_sent = False

    def local(self, stem: str) -> str:
        """Return a name for a variable of the function."""
        fields = [each.name for each in self.made.vertex_fields]
        return self.made.told(self.names.draw(stem, fields))

    def write_local(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        family = self.choices.pick(("int", "float", "bool"))
        value = self.expressions.of(family, scope)
        value = self.narrowed(value)
        name = self.local("t")
        bits, frac = (BITS, FRAC) if family == "float" else (32, 0)
        term = Term(name, family, bits, frac)
        scope.terms.append(term)
        scope.variables.append(term)
        return [f"{name} = {value}"]

    def narrowed(self, value: Term) -> Term:
        """Return a value that fits any variable of its family."""
        if value.family == "int":
            value = self.expressions.bounded(value, 32)
            # The type of ids alone is that of the graph's in compiled code.
            return Term(f"int({value})", "int", value.bits) if ".id" in value.text else value
        return self.expressions.grain(value) if value.family == "float" else value

    def count_of(self, number: str) -> str:
        """Return the parameter that is the number of vertices or edges."""
        known = [each for each in self.function.parameters if each.source == number]
        if not known:
            known = [Parameter(number[:5], ("i64",), number)]
            self.function.parameters += known
        return known[0].name

    def write_send(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        message, kind = self.function.message, self.function.kind
        if message is None or kind == "message":
            return self.write_local(scope, elements, depth)
        if kind == "mlist" and self.choices.chance(50):
            return self.write_act(scope, elements, depth)
        self.has_sent = True
        word, own = "send", {"edge": "e"}.get(kind, "v")
        if kind == "edge" and self.function.loops_edges:
            word = "send"
        if kind != "edge" and "send_to" in self.function.acts:
            index = self.expressions.bounded(self.expressions.of("int", scope, 1), 32)
            word = f"send_to({index} % {self.count_of('num_vertices')}, "
        elif "links" in scope.loops:
            own = "link"
        self.made.count(f"send:{own}.{word.partition('(')[0]}")
        opened = word if "(" in word else "send("
        return [f"{own}.{opened}{self.payload(message, scope)})"]

    def payload(self, message: Message, scope: Scope) -> str:
        parts = [self.part(message, k, scope) for k in range(len(message.families))]
        if message.record is not None:
            return f"{message.record}({', '.join(parts)})"
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def part(self, message: Message, k: int, scope: Scope) -> str:
        family = message.families[k]
        value = self.narrowed(self.expressions.of(family, scope))
        if family == "bool":
            return str(value)
        if family == "float" and message.powers:
            number = f"({self.choices.pick(('2.0', '1.0', '0.5'))} if {value} > 1 else 1.0)"
            return f"{message.casts[k]}({number})" if message.casts else number
        cast = message.casts[k] if message.casts else self.choices.pick(CASTS[family])
        if not cast:
            return str(value)
        if family == "int":
            value = self.expressions.bounded(value, 7)
            value = value if cast[0] != "u" else Term(f"({value} % 100)", "int", 7)
            value = Term(f"({value} % 120)", "int", 7)
        return f"{cast}({value})"

    def write_act(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        acts = sorted(self.function.acts & {"activate", "keep_going", "halt"})
        if not acts:
            return self.write_local(scope, elements, depth)
        act = self.choices.pick(acts)
        self.made.count(f"act:{act}")
        if act != "activate":
            condition = self.expressions.of("bool", scope, 1)
            return [f"if {condition}:", f"    emv.{act}()"]
        whom = self.choices.pick(elements).name if elements else ""
        if not whom:
            return ["pass"]
        known = whom.split(".")[0]
        self.made.count(f"activate:{known if known in ('v', 'e', 'link') else 'far'}")
        return [f"{whom}.activate()"]

    def must(self, scope: Scope, elements: list[Element]) -> list[str]:
        """Return a send where the body has none, and an activation where it should."""
        lines: list[str] = []
        sends = self.function.message is not None and self.function.kind != "message"
        while sends and not self.has_sent:
            lines += self.write_send(scope, elements, 0)
        return lines

    def last(self, scope: Scope) -> list[str]:
        family = self.function.returns
        if family is None:
            return []
        self.made.count(f"returns:{family}")

        def value() -> Term:
            return self.narrowed(self.expressions.of(family, scope, 2))

        if self.choices.chance(30):
            condition = self.expressions.of("bool", scope, 1)
            return [f"if {condition}:", f"    return {value()}", f"return {value()}"]
        return [f"return {value()}"]
