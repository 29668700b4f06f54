"""What ``rng=`` takes, as SPEC 7 has it, of every program, page and generator alike."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from backends_available import BACKENDS

from emv import algorithms, generators
from emv.algorithms import icm, random_walks
from emv.errors import ArgumentError, CallError, EmvDeprecationWarning
from emv.graph import Graph
from emv.lang.draws import seed_of
from emv.runtime.program import ProgramFunction

RING = Graph.from_edges(range(40), [*range(1, 40), 0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_generator_draws_the_seed(backend: str) -> None:
    generator = np.random.default_rng(7)
    found = [icm(RING, 0, p=0.8, rng=generator, backend=backend).tolist() for _ in range(8)]
    again = np.random.default_rng(7)
    seeds = [int(again.integers(2**62)) for _ in range(8)]
    assert found == [icm(RING, 0, p=0.8, rng=seed, backend="python").tolist() for seed in seeds]
    assert len(set(map(str, found))) > 1


@pytest.mark.parametrize("kind", [np.random.SeedSequence, np.random.PCG64, np.random.default_rng])
def test_what_else_numpy_makes_generators_of(kind) -> None:
    assert seed_of("rng", kind(7)) == int(np.random.default_rng(kind(7)).integers(2**62))
    made = [generators.random(30, 90, rng=kind(7)).edges.endpoints() for _ in range(2)]
    np.testing.assert_array_equal(*made)


def test_none_is_another_every_time() -> None:
    assert (
        len(
            {
                str(random_walks(RING.prepared(symmetrise=True).on("python"), [0], 30, rng=None))
                for _ in range(3)
            }
        )
        == 3
    )
    ends = {str(generators.random(99, 300, rng=None).edges.endpoints()[0]) for _ in range(3)}
    assert len(ends) == 3


@pytest.mark.parametrize("rng", ["1", 1.5, True, np.random.RandomState(1)])
def test_what_is_none_of_them(rng) -> None:
    for call in (
        lambda: icm(RING, 0, rng=rng, backend="python"),
        lambda: random_walks(RING, [0], 1, rng=rng),
        lambda: generators.star(3, rng=rng),
    ):
        with pytest.raises(ArgumentError, match=r"rng=? is a whole number, a generator .* not"):
            call()


DRAWING = [
    *generators.GENERATORS.values(),
    algorithms.influence_maximization,
    algorithms.leiden,
    algorithms.louvain,
    algorithms.random_walks,
    algorithms.sample_neighbors,
    algorithms.spread,
    ProgramFunction.run,
    ProgramFunction.profile,
]


@pytest.mark.parametrize("function", DRAWING, ids=lambda each: each.__name__)
def test_all_call_it_by_one_name(function) -> None:
    assert inspect.signature(function).parameters["rng"].default == 0
    assert "seed" not in inspect.signature(function).parameters


def test_nothing_else_of_the_pages_takes_a_seed() -> None:
    takers = {
        name
        for name in algorithms.__all__
        if not isinstance(found := getattr(algorithms, name), ProgramFunction)
        and inspect.isfunction(found)
        and {"seed", "rng"} & inspect.signature(found).parameters.keys()
    }
    assert takers == {each.__name__ for each in DRAWING if each.__name__ in algorithms.__all__}


def test_the_old_name_warns_at_the_users_line_and_does_the_same() -> None:
    with pytest.warns(
        EmvDeprecationWarning, match=r"rmat\(\): seed= .* goes with 0.4. Write rng=3"
    ) as told:
        old = generators.rmat(50, 200, seed=3)
    assert told[0].filename == __file__
    new = generators.rmat(50, 200, rng=3)
    np.testing.assert_array_equal(old.edges.endpoints(), new.edges.endpoints())
    with pytest.warns(EmvDeprecationWarning, match=r"run\(\): seed= .* Write rng=5") as told:
        old = icm(RING, 0, p=0.8, seed=5, backend="python")
    assert told[0].filename == __file__
    assert old.tolist() == icm(RING, 0, p=0.8, rng=5, backend="python").tolist()


def test_both_names_at_once() -> None:
    with pytest.raises(CallError, match="seed= and rng= are one parameter"):
        generators.star(3, seed=1, rng=1)
