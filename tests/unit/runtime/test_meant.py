"""Names are asked after where they stand, those of one dictionary at once."""

from __future__ import annotations

import types
from functools import partial

import pytest

from emv.lang.outside import MISSING
from emv.runtime.meant import Standing, content, different

MODULE = types.ModuleType("module")
INSIDE = types.SimpleNamespace(gain=2.5)


def cell() -> object:
    value = 1

    def inner() -> int:
        return value

    return inner.__closure__[0]


CELL = cell()


def standing(space: dict[str, object]) -> Standing:
    """Return where names stand: two of a dictionary, one it lacks, and some elsewhere."""
    looks = [partial(space.get, name, MISSING) for name in ("one", "two", "three")]
    looks += [partial(getattr, MODULE, "rate", MISSING), partial(getattr, INSIDE, "gain", MISSING)]
    looks.append(partial(content, CELL))
    return Standing(different((look, look()) for look in looks))


CHANGES = {
    "another object": lambda space: space.update(one=object()),
    "a name that is gone": lambda space: space.pop("two"),
    "a name that was lacking": lambda space: space.update(three=3),
    "another attribute of a module": lambda _: setattr(MODULE, "rate", 4),
    "no attribute of a module": lambda _: delattr(MODULE, "rate"),
    "another attribute": lambda _: setattr(INSIDE, "gain", 3.5),
    "another variable around": lambda _: setattr(CELL, "cell_contents", 2),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_of_a_name_is_seen(change):
    MODULE.rate, INSIDE.gain, CELL.cell_contents = 3, 2.5, 1
    space = {"one": object(), "two": object(), "other": 1}
    made = standing(space)
    space["other"] = 2  # nobody asked for it
    assert made.holds()
    change(space)
    assert not made.holds()


def test_one_name_alone_is_asked_for():
    space = {"one": object()}
    look = partial(space.get, "one", MISSING)
    made = Standing([(look, look())])
    assert made.holds()
    space["one"] = object()
    assert not made.holds()
