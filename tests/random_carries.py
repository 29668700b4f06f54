"""Random programs of loops within loops that hand numbers on, in every way that variables can.

Beside `random_programs`, whose programs do everything else: here variables are assigned before, in
and behind loops, change places, stand in tuples, and are read in ``until`` and behind the loop that
made them, the numbers of supersteps among them.
"""

from __future__ import annotations

import random

HEAD = """
import emv
from emv import Vertex, i64, program, vertex


class Spot(Vertex):
    k: i64 = 0
    seen: i64 = 0


@vertex
def grow(v: Spot, more: i64):
    v.k = (v.k * 3 + more + v.id) % 101
    return v.k


@vertex
def note(v: Spot, number: i64):
    v.seen = (v.seen * 7 + number) % 1000003


@program
def main(g):
"""
DEEPEST = 3


class Carries:
    """Writes one program.

    Parameters
    ----------
    seed : int
        Of its choices.
    """

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.names = ["a", "b", "c"]
        self.num_steps = 0

    def text(self) -> str:
        """Return a module with a program `main`."""
        lines = [f"{name} = {self.draw.randrange(4)}" for name in self.names]
        lines += ["note(g, a)", *self.block(1), *self.block(0), *self.block(1)]
        lines.append(f"return {', '.join(self.names)}, g.vertices.k, g.vertices.seen")
        return HEAD + "".join(f"    {line}\n" for line in lines)

    def number(self) -> str:
        """Return an expression of variables, small and never divided by zero."""
        draw, name = self.draw, self.draw.choice(self.names)
        other = draw.choice([*self.names, "2", "5"])
        return draw.choice([name, name, f"({name} + {other})", f"({name} * 2 - {other})"])

    def block(self, depth: int, most: int = 4) -> list[str]:
        """Return some statements."""
        made: list[str] = []
        for _ in range(self.draw.randint(1, most)):
            kinds = ["assign", "assign", "swap", "total", "note"]
            made += getattr(self, self.draw.choice([*kinds, *["loop"] * 3 * (depth < DEEPEST)]))(
                depth
            )
        return made

    def assign(self, depth: int) -> list[str]:
        """Return an assignment, or one that counts."""
        name = self.draw.choice("abc")
        form = self.draw.choice(["{} = {} % 1009", "{} += {} % 17", "{} = {} % 11 + 1"])
        return [form.format(name, self.number())]

    def swap(self, depth: int) -> list[str]:
        """Return an assignment of several names at once."""
        first, second = self.draw.sample("abc", 2)
        return [f"{first}, {second} = {second}, {self.number()} % 97"]

    def total(self, depth: int) -> list[str]:
        """Return an aggregate."""
        word = self.draw.choice(["total", "largest", "smallest"])
        return [f"{self.draw.choice('abc')} = emv.{word}(grow(g, {self.number()} % 13))"]

    def note(self, depth: int) -> list[str]:
        """Return a call that keeps a number."""
        return [f"note(g, {self.number()})"]

    def loop(self, depth: int) -> list[str]:
        """Return a loop, whose number may be read behind it."""
        draw, step = self.draw, f"step{self.num_steps}"
        self.num_steps += 1
        until = ""
        if draw.random() < 0.5:
            tested = draw.choice(["a", "b", "c", step])
            until = f", until=lambda: {tested} {draw.choice('<>')} {draw.randrange(60)}"
        self.names.append(step)
        body = self.block(depth + 1, 3)
        inside = self.names[: self.names.index(step) + 1]  # of inner loops none, outside of them
        self.names = inside if draw.random() < 0.7 else inside[:-1]
        head = f"for {step} in g.supersteps({draw.choice('1223')}{until}):"
        return [head, *(f"    {line}" for line in body)]
