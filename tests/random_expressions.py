"""Random expressions of the language over the terms that can be read at a place."""

from __future__ import annotations

from dataclasses import dataclass, field

from random_model import BITS, FRAC, MOST_BITS, MOST_FLOAT_BITS, Made, Term

INT_FORMS = ("literal", "source", "+", "-", "*", "%", "//", "choose", "min", "abs", "bits", "int",
             "neg", "helper", "round", "shift", "draw", "edge")  # fmt: skip
FLOAT_FORMS = ("literal", "source", "+", "-", "*", "/", "%", "choose", "min", "cast", "helper",
               "ratio", "neg", "either")  # fmt: skip
BOOL_FORMS = ("compare", "source", "and", "not", "chain", "literal", "draw", "choose", "pair")
EDGES = (
    "((({} << 60) * 3 - 1) >> 48)", "(abs({} << 60) >> 50)", "((({} << 60) // -1) >> 50)", "i8({})",
    "u8({} - 200)", "(({} << 60) % 7)", "({} // 0)", "({} % 0)", "({} >> 70)",
    "((-{} // 2) << 60 >> 58)", "int(u64({}) >> 50)", "int(u64({}) // 3 % 100)",
    "int(-u64({}) // 2 >> 48)", "math.gcd({}, 12)",
)  # fmt: skip
"""Whole numbers where those of 64 bits and narrower ones end; none leaves more than 18 bits."""

INT_LITERALS = ("1", "0", "2", "-1", "5", "7")
FLOAT_LITERALS = ("0.5", "1.0", "0.0", "-2.0", "0.25", "3.5")


@dataclass
class Scope:
    """What can be read at a place: terms by family, and the loops around it.

    ``variables`` are those of the terms that may be assigned again.
    """

    terms: list[Term] = field(default_factory=list)
    variables: list[Term] = field(default_factory=list)
    loops: tuple[str, ...] = ()
    draws: bool = True

    def inner(self, *loops: str) -> Scope:
        return Scope(list(self.terms), list(self.variables), (*self.loops, *loops), self.draws)

    @property
    def may_draw(self) -> bool:  # compiled @message functions draw one number for all messages
        return self.loops in ((), ("links",)) and self.draws


class Expressions:
    """Writes expressions of a program."""

    def __init__(self, made: Made) -> None:
        self.made = made
        self.choices = made.choices

    def of(self, family: str, scope: Scope, depth: int = 2) -> Term:
        with self.choices.span():
            made: Term = getattr(self, f"{family}_term")(scope, depth)
        return made

    # ---- bounds ----

    def bounded(self, term: Term, bits: int) -> Term:
        """Return an integer that needs so many bits at most."""
        if term.bits <= bits:
            return term
        modulus = {3: 7, 4: 13}.get(bits, (1 << bits) - 1)
        return Term(f"({term} % {modulus})", "int", bits)

    def grain(self, term: Term, bits: int = BITS) -> Term:
        """Return a float that is a multiple of 1/8 and small."""
        if term.frac > FRAC:
            return Term(f"((int({term} * 8) % {8 << bits - 1}) / 8)", "float", bits - 1, FRAC)
        if term.bits > bits:
            return Term(f"({term} % {float(1 << bits - 1)})", "float", bits - 1, FRAC)
        return term

    def small(self, term: Term) -> Term:
        """Return a term that is no larger than terms may be."""
        if term.family == "int":
            return (
                self.bounded(term, MOST_BITS) if term.bits <= MOST_BITS else self.bounded(term, 8)
            )
        return self.grain(term) if term.bits + term.frac > MOST_FLOAT_BITS else term

    # ---- integers ----

    def form(self, forms: tuple[str, ...], depth: int) -> str:
        return str(self.choices.pick(forms if depth > 0 else forms[:2]))

    def source(self, family: str, scope: Scope) -> Term | None:
        found = [each for each in scope.terms if each.family == family]
        return self.choices.pick(found) if found else None

    def int_term(self, scope: Scope, depth: int) -> Term:
        form = self.form(INT_FORMS, depth)
        found = self.source("int", scope) if form == "source" else None
        if form == "literal" or (form == "source" and found is None):
            return Term(self.choices.pick(INT_LITERALS), "int", 3)
        return found or self.small(self.int_operation(form, scope, depth - 1))

    def int_operation(self, form: str, scope: Scope, depth: int) -> Term:
        self.made.count(f"int:{form}")
        if form in ("int", "round"):
            a = self.of("float", scope, depth)
            word = self.choices.pick(("int", "math.floor")) if form == "int" else "round"
            return Term(f"{word}({a})", "int", a.bits + 1)
        if form == "draw" and scope.may_draw:
            self.made.count("draw:randint")
            bound = self.bounded(self.of("int", scope, depth), 4)
            return Term(f"emv.randint(abs({bound}) + 1)", "int", 4)
        a = self.of("int", scope, depth)
        if form == "neg":
            return Term(f"({self.choices.pick('-~')}{a})", "int", a.bits + 1)
        if form == "abs":
            return Term(f"abs({a})", "int", a.bits)
        if form in ("%", "//"):
            divisor = self.choices.pick(("3", "2", "10", "-4"))
            return Term(f"({a} {form} {divisor})", "int", 4 if form == "%" else a.bits + 1)
        if form == "edge":
            is_read = any(map(str.isalpha, str(a)))  # literals of more than 64 bits are refused
            return Term(self.choices.pick(EDGES).format(a if is_read else f"int({a})"), "int", 18)
        if form == "shift":
            a, by = self.bounded(a, 20), self.choices.number(1, 3)
            return Term(f"({a} {self.choices.pick(('<<', '>>'))} {by})", "int", a.bits + 3)
        return self.int_pair(form, a, self.of("int", scope, depth), scope, depth)

    def int_pair(self, form: str, a: Term, b: Term, scope: Scope, depth: int) -> Term:
        most = max(a.bits, b.bits)
        if form == "choose":
            return Term(f"({a} if {self.of('bool', scope, depth)} else {b})", "int", most)
        if form == "min":
            word = self.choices.pick(("min", "max", "emv.min", "emv.max"))
            return Term(f"{word}({a}, {b})", "int", most)
        if form == "bits":
            return Term(f"({a} {self.choices.pick('&|^')} {b})", "int", most + 1)
        if form == "helper":
            a, b = self.bounded(a, 20), self.bounded(b, 20)
            if self.choices.chance(30):
                return Term(f"{self.made.helper('wide')}({a}, {b})", "int", 21)
            return Term(f"{self.made.helper('mixed')}({a}, {b})", "int", 22)
        if form == "*":
            a, b = (self.bounded(each, 18) for each in (a, b))
            return Term(f"({a} * {b})", "int", a.bits + b.bits)
        word = "-" if form == "-" else "+"
        return Term(f"({a} {word} {b})", "int", most + 1)

    # ---- floats ----

    def float_term(self, scope: Scope, depth: int) -> Term:
        form = self.form(FLOAT_FORMS, depth)
        found = self.source("float", scope) if form == "source" else None
        if form == "literal" or (form == "source" and found is None):
            return Term(self.choices.pick(FLOAT_LITERALS), "float", 2, 2)
        return found or self.small(self.float_operation(form, scope, depth - 1))

    def float_operation(self, form: str, scope: Scope, depth: int) -> Term:
        self.made.count(f"float:{form}")
        if form == "ratio":
            a = self.bounded(self.of("int", scope, depth), 8)
            divisor, frac = self.choices.pick((("2", 1), ("4", 2), ("1", 0)))
            return Term(f"({a} / {divisor})", "float", a.bits, frac)
        a = self.of("float", scope, depth)
        if form == "neg":
            word = self.choices.pick(("-", "abs"))
            return Term(f"{word}({a})", "float", a.bits, a.frac)
        if form == "/":
            return Term(f"({a} / {self.choices.pick(('2', '2.0'))})", "float", a.bits, a.frac + 1)
        if form == "%":
            return Term(f"({a} % 4.0)", "float", 2, a.frac)
        if form == "cast":
            word = self.choices.pick(("f32", "f64", "float"))
            return Term(f"{word}({a})", "float", a.bits, a.frac)
        if form == "helper":
            return self.float_helper(a, scope, depth)
        if form == "either":
            b = self.bounded(self.of("int", scope, depth), 8)
            first, second = (a, b) if self.choices.chance(50) else (b, a)
            text = f"({first} if {self.of('bool', scope, depth)} else {second})"
            return Term(text, "float", max(a.bits, b.bits), a.frac)
        return self.float_pair(form, a, self.of("float", scope, depth), scope, depth)

    def float_helper(self, a: Term, scope: Scope, depth: int) -> Term:
        """Call a plain function, with whole numbers or others."""
        if self.choices.chance(50):
            return Term(f"{self.made.helper('grain')}({a})", "float", 3, 3)
        other = self.of(self.choices.pick(("int", "float")), scope, depth)
        first, second = (a, other) if self.choices.chance(50) else (other, a)
        text = f"{self.made.helper('stepped')}({first}, {second})"
        return Term(text, "float", 6, max(a.frac, other.frac))

    def float_pair(self, form: str, a: Term, b: Term, scope: Scope, depth: int) -> Term:
        bits, frac = max(a.bits, b.bits), max(a.frac, b.frac)
        if form == "choose":
            return Term(f"({a} if {self.of('bool', scope, depth)} else {b})", "float", bits, frac)
        if form == "min":
            word = self.choices.pick(("min", "max"))
            return Term(f"{word}({a}, {b})", "float", bits, frac)
        if form == "*":
            a, b = (self.grain(each, 4) for each in (a, b))
            return Term(f"({a} * {b})", "float", a.bits + b.bits, a.frac + b.frac)
        return Term(f"({a} {form} {b})", "float", bits + 1, frac)

    # ---- truth values ----

    def bool_term(self, scope: Scope, depth: int) -> Term:
        form = self.form(BOOL_FORMS, depth)
        found = self.source("bool", scope) if form == "source" else None
        if found is not None:
            return found
        return self.bool_operation("compare" if form == "source" else form, scope, depth - 1)

    def bool_operation(self, form: str, scope: Scope, depth: int) -> Term:
        self.made.count(f"bool:{form}")
        if form == "literal":
            return Term(self.choices.pick(("True", "False")), "bool")
        if form == "draw" and scope.may_draw:
            self.made.count("draw:random")
            return Term(f"(emv.random() < {self.choices.pick(('0.5', '0.25', '0.9'))})", "bool")
        if form == "and":
            a, b = (self.of("bool", scope, depth) for _ in range(2))
            return Term(f"({a} {self.choices.pick(('and', 'or'))} {b})", "bool")
        if form == "not":
            return Term(f"(not {self.of('bool', scope, depth)})", "bool")
        if form == "choose":
            a, b, c = (self.of("bool", scope, depth) for _ in range(3))
            return Term(f"({a} if {b} else {c})", "bool")
        if form == "pair":
            a, b, c, d = (self.of("int", scope, 0) for _ in range(4))
            return Term(f"(({a}, {b}) {self.choices.pick(('<', '<=', '=='))} ({c}, {d}))", "bool")
        return self.comparison(form, scope, depth)

    def comparison(self, form: str, scope: Scope, depth: int) -> Term:
        family = self.choices.pick(("int", "float"))
        word = self.choices.pick(("<", ">", "<=", ">=", "==", "!="))
        if self.choices.chance(25):
            self.made.count("bool:mirrored")
            literal = self.choices.pick(INT_LITERALS if family == "int" else FLOAT_LITERALS)
            return Term(f"({literal} {word} {self.of(family, scope, 0)})", "bool")
        a, b = (self.of(family, scope, depth) for _ in range(2))
        if form == "chain":
            c = self.of("int", scope, 0)
            return Term(f"({a} {word} {b} < {c})", "bool")
        return Term(f"({a} {word} {b})", "bool")
