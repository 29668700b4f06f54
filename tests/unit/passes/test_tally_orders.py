"""Random loops over tallies: where it is said that no order shows, every order gives the same."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import random
from types import SimpleNamespace

import pytest

import emv
from emv import Vertex, f64, i32, i64, mlist
from emv.errors import LanguageError
from emv.ir import body as b
from emv.passes.tally_kinds import Rounds

PROGRAMS, LEAST_FREE = 4000, 600
HEAD = "from emv import MessageList, Vertex, f32, f64, i32, i64"
HEARD = (
    [(3, 0.5), (-2, -1.0), (7, 2.0), (1, 0.5)],
    [(7, -1.5), (3, -1.5), (9, 0.25), (0, 4.0)],
    [(5, 1.0), (3, 1.0), (7, 1.0)],
)


class Spot(Vertex):
    kind: i32
    one: i64
    two: i64
    three: f64
    four: f64


class Maker:
    """Makes the text of a function: locals, whole and floats, and a loop that changes them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.seed = seed

    def pick(self, *options):
        return self.draw.choice(options)

    def whole(self) -> str:
        """Return an expression in whole numbers."""
        return self.pick("kind", "kind", "k", "m", "m", "kind % 3", "2", "t", "t")

    def real(self) -> str:
        """Return an expression in floats."""
        return self.pick("amount", "amount", "x", "y", "amount * 2", "0.5", "u", "amount - 0.25")

    def test(self) -> str:
        """Return a condition."""
        whole = f"{self.whole()} {self.pick('==', '<', '>', '!=')} {self.whole()}"
        real = f"{self.real()} {self.pick('<', '>', '==')} {self.real()}"
        one = self.pick("kind == v.kind", "kind == 3", "v.kind == kind", "kind == 9", "kind == m")
        return self.pick(whole, real, one, one, f"{whole} and {real}")

    def best(self) -> list[str]:
        """Return a branch that may keep the best."""
        worth, most, best = self.pick("amount", "u", "amount * 2"), self.pick("x", "y"), "m"
        op, other = self.pick("<", ">"), self.pick("<", ">")
        first = f"{worth} {op} {most}"
        second = self.pick(f"{worth} == {most}", f"{most} == {worth}", f"{most} == amount")
        last = self.pick(f"kind {other} {best}", f"{best} {other} kind", f"kind {other} k")
        tie = self.pick(f"({second} and {last})", f"({second} and {last})", second)
        guard = self.pick("", "", "kind != 3 and ", "x < 1 and ", "k > 4 and ", "m != 3 and ")
        test = f"{guard}({first} or {tie})" if guard else f"{first} or {tie}"
        kept = self.pick(f"{best}, {most} = kind, {worth}", f"{most}, {best} = {worth}, kind")
        return [f"if {test}:", f"    {kept}"]

    def statement(self, depth: int) -> list[str]:
        """Return one statement, a line each."""
        kind = self.draw.random()
        if kind < 0.3:
            return self.best()
        if kind < 0.5 and depth < 2:
            inside = [line for _ in range(self.pick(1, 2)) for line in self.statement(depth + 1)]
            lines = [f"if {self.test()}:", *(f"    {line}" for line in inside)]
            if self.draw.random() < 0.3:
                lines += ["else:", *(f"    {line}" for line in self.statement(depth + 1))]
            return lines
        return [
            self.pick(
                f"k = k + {self.whole()}",
                f"k += {self.whole()}",
                f"k = max(k, {self.whole()})",
                f"m = min({self.whole()}, m)",
                f"k = {self.whole()}",
                "k = 5",
                f"x = {self.real()}",
                f"y = y + {self.real()}",
                f"t = {self.whole()}",
                f"u = {self.real()}",
            )
        ]

    def text(self) -> str:
        """Return the text of the function."""
        loop = ["t = kind + 1", "u = amount + 1"] if self.draw.random() < 0.8 else []
        loop += [line for _ in range(self.pick(1, 2, 3)) for line in self.statement(0)]
        lines = [
            "k, m, t = 4, 0, 0",
            "x, y, u = 0.25, -1.5, 0.0",
            "for kind, amount in emv.tally(heard):",
            *(f"    {line}" for line in loop),
            "v.one, v.two = k, m",
            "v.three, v.four = x, y",
        ]
        head = f"def hear_{self.seed}(v: Spot, heard: MessageList[tuple[i32, f32]]):\n"
        return head + "".join(f"    {line}\n" for line in lines)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the module of all functions, as plain Python."""
    path = tmp_path_factory.mktemp("tallies") / "many_tallies.py"
    texts = "\n\n".join(Maker(seed).text() for seed in range(PROGRAMS))
    path.write_text(f"import emv\n{HEAD}\n\n{inspect.getsource(Spot)}\n{texts}")
    spec = importlib.util.spec_from_file_location("many_tallies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(module, function, kinds) -> tuple:
    """Return what a function makes of a vertex if kinds come in some order."""
    spot = SimpleNamespace(kind=7, one=0, two=0, three=0.0, four=0.0)
    module.emv = SimpleNamespace(tally=lambda heard: heard, inf=emv.inf)
    function(spot, kinds)
    module.emv = emv
    return spot.one, spot.two, spot.three, spot.four


def test_no_order_shows_where_it_is_said(made):
    free = []
    for seed in range(PROGRAMS):
        plain = getattr(made, f"hear_{seed}")
        try:
            body = mlist(plain).body
        except LanguageError:
            continue
        loop = next(e for e in b.statements_in(body.statements) if isinstance(e, b.ForMessages))
        if Rounds(body, loop).leave_behind() is None:
            continue
        free.append(seed)
        for heard in HEARD:
            found = {leaves(made, plain, order) for order in itertools.permutations(heard)}
            assert len(found) == 1, Maker(seed).text()
    assert len(free) >= LEAST_FREE
