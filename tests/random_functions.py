"""Random user functions of all five kinds: their parameters, and bodies that keep to the rules.

How a function may write a field is chosen once per field: as its own, with one operator, or with
one constant. So rule (2) holds by construction.
"""

from __future__ import annotations

from random_expressions import Scope
from random_model import Field, Message, Term, read_as
from random_sends import Element, Sends

OPERATORS = {
    "int": ("+", "-", "min", "max", "*", "&", "|", "^"),
    "float": ("+", "-", "min", "max"),
    "bool": ("|", "&", "^"),
}
CONSTANTS = {"int": ("3", "-1", "0"), "float": ("0.5", "2.0"), "bool": ("True", "False")}


class FunctionText(Sends):
    """Writes one function."""

    def write(self) -> list[str]:
        """Return the lines of the function."""
        function, scope = self.function, Scope(draws=self.function.kind != "message")
        elements = self.first_elements()
        for parameter in function.parameters:
            scope.terms += parameter.terms()
            if len(parameter.dtypes) == 1 and parameter.terms() and parameter.record is None:
                scope.terms[-1] = read_as(parameter.name, parameter.dtypes[0], loose=True)
        self.see(scope, elements)
        lines = self.block(scope, elements, 2)
        lines += self.must(scope, elements)
        lines += self.last(scope)
        head = f"def {function.name}({', '.join(self.signature())}):"
        return [f"@{function.kind}", head, *(f"    {line}" for line in lines or ["pass"])]

    def signature(self) -> list[str]:
        kind, heard = self.function.kind, self.function.heard
        first = {"edge": "e: Line", "message": f"m: {self.listed()}"}.get(kind, "v: Spot")
        lists = {"elist": "links: EdgeList[Line]", "mlist": f"heard: MessageList[{self.listed()}]"}
        given = [first, lists[kind]] if kind in lists else [first]
        assert heard is not None or kind not in ("mlist", "message")
        return [*given, *(each.text() for each in self.function.parameters)]

    def listed(self) -> str:
        """Return the type of a message that the function takes."""
        heard = self.function.heard
        if heard is None:
            return ""
        kind = heard.record or self.spelled(heard)
        return f"Message[{kind}]" if self.function.kind == "message" and not heard.record else kind

    def spelled(self, heard: Message) -> str:
        if not hasattr(self, "heard_dtypes"):
            of = {"int": ("i32", "i64", "i16"), "float": ("f32", "f64"), "bool": ("bool",)}
            self.heard_dtypes = tuple(self.choices.pick(of[each]) for each in heard.families)
            if heard.casts:
                pairs = zip(heard.casts, heard.families, strict=True)
                self.heard_dtypes = tuple(cast or family for cast, family in pairs)
        one = len(self.heard_dtypes) == 1
        return self.heard_dtypes[0] if one else f"tuple[{', '.join(self.heard_dtypes)}]"

    def heard_terms(self, name: str) -> list[Term]:
        """Return what can be read of a message of a list, or of a @message function."""
        heard = self.function.heard
        assert heard is not None
        if heard.record is not None:
            dtypes = tuple(self.made.records[heard.record].values())
            parts = [f"{name}.{field}" for field in self.made.records[heard.record]]
        else:
            self.spelled(heard)
            dtypes = self.heard_dtypes
            parts = [f"{name}[{k}]" for k in range(len(dtypes))] if len(dtypes) > 1 else [name]
            parts = [f"{name}.value"] if self.function.kind == "message" else parts
        return [read_as(part, dtype) for part, dtype in zip(parts, dtypes, strict=True)]

    # ---- what can be read ----

    def first_elements(self) -> list[Element]:
        if self.function.kind == "edge":
            ends = [Element("e.src", "vertex", False), Element("e.dst", "vertex", False)]
            return [Element("e", "edge", self.function.edges_only), *ends]
        return [] if self.function.kind == "message" else [Element("v", "vertex", True)]

    def see(self, scope: Scope, elements: list[Element]) -> None:
        for each in elements:
            scope.terms.append(Term(f"{each.name}.id", "int", 6))
            if each.kind == "vertex":
                degrees = (f"{each.name}.{word}_degree" for word in ("out", "in"))
                scope.terms += [Term(text, "int", 7) for text in degrees]
            scope.terms += [field.read(each.name) for field in self.fields(each)]
        if self.function.kind == "elist":
            scope.terms.append(Term("len(links)", "int", 7))
        if self.function.kind == "mlist":
            scope.terms.append(Term("len(heard)", "int", 8))
        if self.function.kind == "message" and elements == []:
            scope.terms += self.heard_terms("m")

    def fields(self, element: Element) -> list[Field]:
        return self.made.vertex_fields if element.kind == "vertex" else self.made.edge_fields

    # ---- statements ----

    def block(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        lines: list[str] = []
        for _ in self.choices.parts(3):
            lines += self.statement(scope, elements, depth)
        return lines or ["pass"]

    def statement(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        forms = ["local", "store", "store", "again", "send", "send", "act"]
        forms += ["if", "if", "range", "foreign", "far", "while", "far"] if depth > 0 else []
        forms += ["return"] if not scope.loops else []
        kind = self.function.kind
        if depth > 0 and kind == "elist" and "links" not in scope.loops:
            forms += ["links"] * 4
        if depth > 0 and kind == "mlist" and scope.loops.count("messages") < 2:
            forms += ["messages"] * 4
        lines: list[str] = getattr(self, f"write_{self.choices.pick(forms)}")(
            scope, elements, depth
        )
        return lines

    def write_again(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        if not scope.variables:
            return self.write_local(scope, elements, depth)
        term = self.choices.pick(scope.variables)
        value = self.narrowed(self.expressions.of(term.family, scope))
        if term.family == "int" and self.choices.chance(40):
            return [f"{term} = ({term} + {value}) % 1000"]
        return [f"{term} = {value}"]

    def write_if(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        self.made.count("statement:if")
        condition = self.expressions.of("bool", scope)
        if self.choices.chance(25):
            self.made.count("statement:if not")
            condition = Term(f"not {condition}", "bool")
        lines = [f"if {condition}:", *indented(self.block(scope.inner(), elements, depth - 1))]
        if self.choices.chance(40):
            lines += ["else:", *indented(self.block(scope.inner(), elements, depth - 1))]
        return lines

    def write_range(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        self.made.count("statement:range")
        name, inner = self.local("i"), scope.inner("range")
        inner.terms.append(Term(name, "int", 4))
        count = self.choices.pick(("2", "3", "1, 4", "3, 0, -1", ""))
        if not count:
            count = f"{self.expressions.bounded(self.expressions.of('int', scope, 1), 20)} % 4"
        lines = [f"for {name} in range({count}):"]
        return lines + indented(self.block(inner, elements, depth - 1) + self.leave(inner))

    def leave(self, scope: Scope) -> list[str]:
        """Return a break or continue, or nothing."""
        if not self.choices.chance(15):
            return []
        self.made.count("statement:break")
        return [f"if {self.expressions.of('bool', scope, 1)}:", "    break"]

    def write_while(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        self.made.count("statement:while")
        name, inner = self.local("k"), scope.inner("while")
        inner.terms.append(Term(name, "int", 4))
        condition = self.expressions.of("bool", inner, 1)
        body = [f"{name} += 1", *self.block(inner, elements, depth - 1)]
        return [f"{name} = 0", f"while {name} < 3 and {condition}:", *indented(body)]

    def write_links(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        self.made.count("statement:links")
        inner = scope.inner("links")
        more = [Element("link", "edge", True), Element("link.dst", "vertex", False)]
        self.see(inner, more)
        lines = self.block(inner, [*elements, *more], depth - 1) + self.leave(inner)
        return ["for link in links:", *indented(lines)]

    def write_messages(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        form = self.choices.pick(self.orders())
        self.heard_terms("")  # which settles the types
        self.made.count(f"statement:{form}")
        if form == "best":
            return self.write_best(scope)
        name, inner = self.local("m"), scope.inner("messages")
        if form == "tally":
            amount = self.local("n")
            inner.terms += [read_as(name, self.heard_dtypes[0]), self.amount(amount)]
            name, heard = f"{name}, {amount}", "emv.tally(heard)"
        else:
            inner.terms += self.heard_terms(name)
            heard = "heard" if form == "messages" else "sorted(heard)"
        lines = self.block(inner, elements, depth - 1) + self.leave(inner)
        return [f"for {name} in {heard}:", *indented(lines)]

    def orders(self) -> list[str]:
        """Return how the list may be gone over: numbers and short pairs are sorted, and tallied."""
        heard = self.function.heard
        if heard is None or heard.record is not None:
            return ["messages"]
        if len(heard.families) > 1 and not heard.casts:
            return ["messages"]
        is_tallied = heard.families[0] != "float"
        return ["messages", "sorted", *(["tally", "best", "best"] if is_tallied else [])]

    def amount(self, name: str) -> Term:
        """Return what can be read of the amount of a kind: a count, or a sum."""
        if len(self.heard_dtypes) == 1:
            return Term(name, "int", 8)
        is_float = self.heard_dtypes[1] in ("f32", "f64")
        return read_as(name, "f64" if is_float else "i64", loose=is_float)

    def write_best(self, scope: Scope) -> list[str]:
        """Tally so that the order of kinds does not show: the best kind, sums, and how many."""
        kind, amount, best, most, whole = map(self.local, ("m", "n", "best", "most", "whole"))
        worth, order, before = amount, self.choices.pick("><"), self.choices.pick("<>")
        if len(self.heard_dtypes) == 1 and self.choices.chance(30):
            worth = f"{amount} * 3 % 4"
        start = "0.0" if self.amount(amount).family == "float" else "0"
        lines = [
            f"{best}, {most}, {whole} = 0, {start}, 0",
            f"for {kind}, {amount} in emv.tally(heard):",
        ]
        test = f"{worth} {order} {most} or ({worth} == {most} and {kind} {before} {best})"
        inside = [f"if {test}:", f"    {best}, {most} = int({kind}), {worth}"]
        if self.choices.chance(50):
            inside.append(f"{whole} += {self.choices.pick(('1', f'int({kind})'))}")
        scope.terms += [Term(f"({each} % 1009)", "int", 10) for each in (best, whole)]
        scope.terms.append(self.amount(most))
        return lines + indented(inside)

    def write_far(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        if self.function.kind == "message":
            return self.write_local(scope, elements, depth)
        over_edges = self.function.kind == "edge" and self.choices.chance(30)
        kind, record = ("edge", "Line") if over_edges else ("vertex", "Spot")
        text = self.far(kind, scope)
        self.made.count(f"far:{record}")
        if self.choices.chance(30) and "emv.rand" not in text:  # a drawn one is named
            self.made.count("far:unnamed")
            return self.foreign_to(Element(text, kind, False), scope) or ["pass"]
        name = self.local("w")
        line = f"{name} = {text}"
        far = Element(name, kind, False)
        self.see(scope, [far])
        stores = self.foreign_to(far, scope) if self.choices.chance(50) else []
        return [line, *stores]

    def far(self, kind: str, scope: Scope) -> str:
        """Return the text of another element, whose index may be chosen by a condition."""
        record, number = ("Line", "num_edges") if kind == "edge" else ("Spot", "num_vertices")
        count = self.count_of(number)

        def index() -> str:
            return f"{self.expressions.bounded(self.expressions.of('int', scope, 1), 32)} % {count}"

        form = self.choices.pick(("plain", "chosen", "compared"))
        self.made.count(f"index:{form}")
        if form == "plain":
            return f"{record}.at({index()})"
        condition = self.expressions.of("bool", scope, 1)
        if form == "chosen":
            return f"{record}.at({index()} if {condition} else {index()})"
        return f"{record}.at((1 if {condition} else 0) % {count})"

    def write_return(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        """Leave the function early."""
        self.made.count("statement:return")
        family = self.function.returns
        value = "" if family is None else f" {self.narrowed(self.expressions.of(family, scope, 1))}"
        return [f"if {self.expressions.of('bool', scope, 1)}:", f"    return{value}"]

    # ---- writes ----

    def write_store(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        if self.function.kind == "message":
            return self.store_message(scope)
        own = [each for each in elements if each.own and self.fields(each)]
        if not own:
            return self.write_foreign(scope, elements, depth)
        element = self.choices.pick(own)
        if element.name == "link":
            return self.foreign_to(element, scope)
        field = self.choices.pick(self.fields(element))
        mode = self.modes.setdefault((element.kind, field.name), "own")
        if mode not in ("own", *CONSTANTS[field.family]):
            return self.write_send(scope, elements, depth)
        self.made.count(f"store:own {element.kind}", f"dtype:{field.dtype}")
        place = f"{element.name}.{field.name}"
        if mode != "own":
            return [f"{place} = {mode}"]
        if field.family == "int" and self.choices.chance(30):
            self.made.count("store:own +=")
            return [f"{place} += {self.expressions.of('int', scope)}"]
        if self.choices.chance(15):
            self.made.count("store:own from far")
            others = [each for each in self.fields(element) if each.family == field.family]
            asked = self.choices.pick([field, *others])
            if asked == field:
                self.made.count("far:what is written")
            return [f"{place} = {self.narrowed(asked.read(self.far(element.kind, scope)))}"]
        return [f"{place} = {self.stored(field, scope)}"]

    def stored(self, field: Field, scope: Scope) -> Term:
        value = self.expressions.of(field.family, scope)
        return self.expressions.grain(value) if field.family == "float" else value

    def store_message(self, scope: Scope) -> list[str]:
        term = self.choices.pick(self.heard_terms("m"))
        place = str(term).strip("(").split(" %")[0].removeprefix("int(")
        return [f"{place} = {self.narrowed(self.expressions.of(term.family, scope))}"]

    def write_foreign(self, scope: Scope, elements: list[Element], depth: int) -> list[str]:
        others = [each for each in elements if not each.own and self.fields(each)]
        others = [each for each in others if each.name != "e"]
        if not others:
            return self.write_send(scope, elements, depth)
        return self.foreign_to(self.choices.pick(others), scope)

    def foreign_to(self, element: Element, scope: Scope) -> list[str]:
        """Write a field of an element that is not the instance's own, or of a listed edge."""
        fields = self.fields(element)
        if not fields:
            return []
        field = self.choices.pick(fields)
        mode = self.modes.setdefault((element.kind, field.name), self.new_mode(element, field))
        place = f"{element.name}.{field.name}"
        if mode == "own" and element.name != "link":
            return []
        if mode == "own" or (element.name == "link" and mode in CONSTANTS[field.family]):
            self.made.needs_directed = True
        self.made.count(f"store:{'link ' * (element.name == 'link')}{element.kind} {mode}")
        if element.name == "link":
            self.made.count("store:link")
        if mode in CONSTANTS[field.family]:
            self.made.count("store:constant")
            return [f"{place} = {mode}"]
        value = self.stored(field, scope)
        if mode == "own":
            return [f"{place} = {value}"]
        return [self.folded(place, mode, field, value)]

    def folded(self, place: str, mode: str, field: Field, value: Term) -> str:
        """Return the line that folds a value into a field of others."""
        if mode in ("min", "max") and field.family == "int":  # an operand that the field holds
            value = Term(f"({value} % 100)", "int", 7)
        if mode in ("min", "max"):
            return f"{place} = emv.{mode}({place}, {value})"
        if field.family == "float":
            value = self.expressions.grain(value, 3)
        if mode == "*":
            value = Term(self.choices.pick(("2", "-1", "3")), "int")
        return f"{place} {mode}= {value}"

    def new_mode(self, element: Element, field: Field) -> str:
        """Return how a function writes a field of others."""
        modes = [*OPERATORS[field.family], self.choices.pick(CONSTANTS[field.family])]
        if element.name == "link" and self.made.choices.chance(30):
            return "own"
        if field.family == "float" and not field.adds:
            modes = [each for each in modes if each not in "+-"]
        return str(self.choices.pick(modes))


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
