"""Several grids meet: all know what all said and wrote, and nobody runs ahead or waits for ever."""

from __future__ import annotations

import numpy as np
import pytest

from emv.backends.simulated.block import DeadlockError
from emv.backends.simulated.launch import simulate_parts
from emv.backends.simulated.races import RaceError, ScopeError
from emv.ir.kernel import KernelSource
from emv_kernels.cuda.meeting import FAILED, PLACE, WORDS
from tests.stress.meetings import fault_of, kernel, sizes

ROUNDS = 3
NEVER = 2**62


def run(parts: int, source: KernelSource, wait_ns: int = NEVER // 2, **order) -> list[np.ndarray]:
    """Run it on two blocks a part; return what each found."""
    own = [
        {name: np.zeros(size, np.int64) for name, size in sizes(parts).items()}
        for _ in range(parts)
    ]
    stems = ("box", "table")
    shared = {f"{stem}{k}": arrays[stem] for k, arrays in enumerate(own) for stem in stems}
    numbers = {"rounds": ROUNDS, "wait_ns": wait_ns}
    arrays = [{**shared, **each, **numbers, "part": part} for part, each in enumerate(own)]
    simulate_parts(source, arrays, block=32, blocks=2, **order)
    return [each["out"] for each in own]


@pytest.mark.parametrize("parts", [2, 3, 8])
@pytest.mark.parametrize("seed", range(2))
def test_all_parts_know_what_all_said_and_wrote(parts, seed):
    assert fault_of(run(parts, kernel(parts), seed=seed, stops=0.05), ROUNDS) == ""


def test_a_part_that_leaves_is_an_error_of_the_others_in_time():
    one, two, three = run(3, kernel(3, leaves="part == 1 and number == 2"), wait_ns=10**9)
    assert two.tolist() == [0, 33, 1, 0]
    assert {one[0], three[0]} <= {21, 22}  # late, or told by who was late first
    assert one.tolist()[1:] == three.tolist()[1:] == [33, 1, 0]
    assert "part 0 was alone in round 2" in fault_of([one, two, three], ROUNDS)


def test_without_the_meeting_parts_race():
    text = kernel(2)
    lonely = text.text.replace("if part != 0 and lane", "if False and lane")
    lonely = lonely.replace("if part != 1 and lane", "if False and lane")
    with pytest.raises(RaceError, match="nothing orders"):
        run(2, KernelSource("lonely", lonely, text.functions, {}))


def test_one_turn_of_rows_does_not_suffice():
    text = kernel(2)
    once = text.text.replace("((number & 1) * 2 + part)", "part").replace("(number & 1) * 16 +", "")
    assert once != text.text
    source = KernelSource("once", once, text.functions, {})

    def in_some_order() -> None:
        for seed in range(20):
            run(2, source, seed=seed, stops=0.2)

    with pytest.raises(RaceError, match=r"table\d?\["):
        in_some_order()


def test_an_atomic_of_one_gpu_on_what_a_peer_touches_is_an_error():
    with pytest.raises(ScopeError, match=r"parts 0 and 1 touch it, and not always at system"):
        run(2, kernel(2, before="cuda.atomic.add(box0, 40, 1)"))
    run(1, kernel(1, before="cuda.atomic.add(box0, 20, 1)"))


def test_a_wait_without_an_end_is_told():
    source = kernel(2, leaves="part == 1")
    endless = source.text.replace("came = heard(", "came = heard_for_ever(").replace(
        "def program",
        "def heard_for_ever(box, place, number, until):\n"
        "    while cuda.atomic.add(box, place + 1, 0) < number:\n        pass\n"
        "    return 0, 0\n\n\ndef program",
    )
    with pytest.raises((DeadlockError, ScopeError)):
        run(2, KernelSource("endless", endless, source.functions, {}), turns=2000, stops=0.5)


def test_failure_is_above_every_number():
    assert FAILED > 2**61
    assert WORDS * PLACE * 8 % 128 == 0  # a row is whole lines of the cache
