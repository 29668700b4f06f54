"""Whether the names that a program uses still mean what they meant when its kernels were made.

In a notebook a function is defined anew, or a number that functions name is changed, and the
program run again. To look every name up as Python does takes longer than a small run. So where each
stands is found once (a module's globals, a variable of an enclosing function, an attribute), and
asked whether the same objects stand there, as they nearly always do, those of one dictionary at
once; only if they do not are all of them looked up, since another object may mean the same, as an
equal number does.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from emv.lang.helpers import names_in_fold
from emv.lang.outside import MISSING, same

BY_NAME = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
"""What Python does to look a name up where a module keeps it."""

Look = tuple[partial[Any], Any]
"""Looks at one place again, and what stood there."""


class Meant:
    """What the names of a program, its functions and its combiners meant.

    Parameters
    ----------
    python : function
        The program.
    functions : iterable of UserFunction
        Those that it applies.
    combiners : iterable of function
        The plain functions by which it combines messages.
    """

    def __init__(self, python: Any, functions: Iterable[Any], combiners: Iterable[Any]) -> None:
        self.python = python
        self.functions, self.combiners = list(functions), list(combiners)
        self.then = [dict(each) for each in self.now()]
        self.standing = Standing(different(self.places()))

    def holds(self) -> bool:
        """Return whether all of it still means the same."""
        if self.standing.holds():
            return True
        if not all(map(unchanged, self.now(), self.then)):
            return False
        self.standing = Standing(different(self.places()))
        return True

    def now(self) -> Iterator[dict[str, Any]]:
        """Yield what names mean: the program's, then every function's."""
        yield meanings(self.python)
        for function in self.functions:
            yield function.analysis.captured
        yield from map(names_in_fold, self.combiners)

    def places(self) -> Iterator[Look]:
        """Yield where these names stand."""
        yield from places_in_program(self.python)
        for function in self.functions:
            helpers = function.analysis.helpers
            for dotted in function.analysis.captured:
                first, _, rest = dotted.partition(".")
                inside = rest and first in helpers
                within = (helpers[first], rest) if inside else (function.python, dotted)
                yield from places_of(*within)
        for combiner in self.combiners:
            for dotted in names_in_fold(combiner):
                yield from places_of(combiner, dotted)


class Standing:
    """Objects that stood in some places, which is asked of each dictionary once.

    Parameters
    ----------
    looks : list of Look
        One for each place.
    """

    def __init__(self, looks: list[Look]) -> None:
        self.there: list[tuple[dict[str, Any], str, Any]] = []
        self.lacking: list[tuple[Any, set[str]]] = []
        self.others: list[Look] = []
        found: dict[int, tuple[dict[str, Any], set[str]]] = {}
        for look, then in looks:
            space, name = space_of(look), name_of(look)
            if space is None:
                self.others.append((look, then))
            elif then is not MISSING:
                self.there.append((space, name, then))
            else:
                found.setdefault(id(space), (space, set()))[1].add(name)
        self.lacking = [(space.keys(), names) for space, names in found.values()]

    def holds(self) -> bool:
        """Return whether they still stand there; loops touch least where no cache has any of it."""
        for space, name, then in self.there:
            if space.get(name) is not then:
                return False
        for keys, names in self.lacking:
            if not keys.isdisjoint(names):
                return False
        for look, then in self.others:  # noqa: SIM110  a generator would be one more thing to make
            if look() is not then:
                return False
        return True


def space_of(look: partial[Any]) -> dict[str, Any] | None:
    """Return the dictionary that a look is into, a module's among them; None if it is another."""
    space = getattr(look.func, "__self__", None)
    if look.func is getattr and type(look.args[0]) is types.ModuleType:
        space = vars(look.args[0])
        if look.args[1] not in space:
            return None
    return space if type(space) is dict else None


def name_of(look: partial[Any]) -> str:
    """Return the name that is looked for in a dictionary."""
    return str(look.args[1] if look.func is getattr else look.args[0])


def different(looks: Iterable[Look]) -> list[Look]:
    """Return each look once, as several functions name the same things."""
    found: dict[tuple[int, ...], Look] = {}
    for look, then in looks:
        space = getattr(look.func, "__self__", look.func)  # of the dictionary that is looked into
        found.setdefault((id(space), *map(id, look.args)), (look, then))
    return list(found.values())


def places_of(function: types.FunctionType, dotted: str) -> Iterator[Look]:
    """Yield where the parts of a dotted name stand, as a function sees them."""
    first, *rest = dotted.split(".")
    looks = [*places_of_name(function, first)]
    yield from looks
    value = looks[-1][1]
    for name in rest:
        look_at = partial(getattr, value, name, MISSING)
        value = look_at()
        yield look_at, value


def places_of_name(function: types.FunctionType, name: str) -> Iterator[Look]:
    """Yield where a name may stand; the last has what it means."""
    free = function.__code__.co_freevars
    if name in free and function.__closure__ is not None:
        look = partial(content, function.__closure__[free.index(name)])
        yield look, look()
        return
    for space in (function.__globals__, vars(builtins)):
        look = partial(space.get, name, MISSING)
        yield look, look()
        if name in space:
            return


def places_in_program(python: Any, depth: int = 3) -> Iterator[Look]:
    """Yield where all names stand that a program may use, and the plain functions it calls."""
    for name in names_in(python.__code__):
        looks = [*places_of_name(python, name)]
        yield from looks
        if depth and is_users(looks[-1][1]):
            yield from places_in_program(looks[-1][1], depth - 1)


def meanings(python: Any, prefix: str = "", depth: int = 3) -> dict[str, Any]:
    """Return what the names outside a function mean, those in the plain functions it calls too."""
    cells = zip(python.__code__.co_freevars, python.__closure__ or (), strict=False)
    inside = {name: content(cell) for name, cell in cells}
    found: dict[str, Any] = {}
    for name in names_in(python.__code__):
        value = inside.get(name, python.__globals__.get(name, MISSING))
        if value is not MISSING:
            found[prefix + name] = value
    for name, value in list(found.items()):
        if depth and is_users(value):
            found |= meanings(value, f"{name}.", depth - 1)
    return found


@functools.lru_cache(maxsize=1024)
def names_in(code: types.CodeType) -> tuple[str, ...]:
    """Return the names that a text does not define itself, each once; attributes are none."""
    found = [each.argval for each in dis.get_instructions(code) if each.opname in BY_NAME]
    found += code.co_freevars
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            found += names_in(each)
    return tuple(dict.fromkeys(found))


def is_users(value: Any) -> bool:
    """Return whether something is a plain function that is not emv's."""
    return isinstance(value, types.FunctionType) and not value.__module__.startswith("emv.")


def content(cell: Any) -> Any:
    """Return what a variable of an enclosing function holds, or `MISSING`."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def unchanged(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Return whether all names mean what they meant."""
    return now.keys() == then.keys() and all(same(now[name], then[name]) for name in then)
