"""Walks over all ids of which few pass a test: a thread asks several at once.

    k_1 = k + stride
    v_0 = k
    v_1 = k_1 if k_1 < size else k
    asked_0 = v_level[v_0] == level
    asked_1 = v_level[v_1] == level
    passing = 1 if asked_0 else 0
    passing = passing | (2 if asked_1 else 0)
    v = k
    while passing != 0 and v < size:
        if passing & 1 != 0:
            <what is done with v>
        passing = passing >> 1
        v = v + stride

Asked one after the other a thread waits for what each id holds, and all that it does where none
passes is to wait. What is done stands once in the text, however many are asked. Who asks for an id
behind the last asks the first once more, which the loop does not come to. Which launches are walked
so, `passes.choose_walk` says.
"""

from __future__ import annotations

from emv.codegen.cuda.walks import Walk, let, next_ids, of_element
from emv.codegen.quote import quote, quoted
from emv.ir import nodes as n
from emv.ir.frozen import dataclass

AT_ONCE = 8  # ids that are asked


@dataclass(frozen=True)
class Sifted(Walk):
    """A walk over all ids whose body is one test, and what is done where it holds."""

    def block(self, number: str) -> n.Block:
        """Return the walk."""
        (branch,) = self.body
        assert isinstance(branch, n.If)
        assert not branch.otherwise
        return self.by_several(self.sifted(branch, number), AT_ONCE, number)

    def sifted(self, branch: n.If, number: str) -> n.Block:
        """Return what is done in a round."""
        name = self.name
        _, made = next_ids(name, AT_ONCE, number)
        for j in range(AT_ONCE):
            made.append(let(f"asked_{j}", of_element(branch.test, name, f"{name}_{j}")))
        for j in range(AT_ONCE):
            bit = f"({1 << j} if asked_{j} else 0)"
            made += quote(f"passing = {number}({f'passing | {bit}' if j else bit})", {})
        step = f"passing = {number}(passing >> 1)\n{name} = {number}({name} + stride)"
        one = n.If(quoted("passing & 1 != 0", {}), branch.then)
        goes_on = quoted(f"passing != 0 and {name} < size", {})
        return (*made, let(name, n.Name("k")), n.While(goes_on, (one, *quote(step, {}))))
