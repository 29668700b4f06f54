"""Random programs on the text for cores, run as plain Python on one thread and on two that
interrupt each other; a few of them compiled.

`tests/simulated/test_random_programs.py` runs the text for GPUs; `tests.stress.random_programs`
runs more.
"""

from __future__ import annotations

import collections

import pytest
from hypothesis import HealthCheck, given, settings
from interleaved_cpu import interleaved
from interpreted_cpu import interpreted
from random_choices import replayed, seeded, shortened
from random_programs import COMBINERS, Case, case_of, cases
from random_runs import compare, failure, shortest

NUM_PROGRAMS = 200
ON_TWO_THREADS = range(NUM_PROGRAMS, NUM_PROGRAMS + 60)
COMPILED = (17, 48, 81, 155, 173, 199)  # short, and have much
SELDOM = 3  # programs, at least, that have a feature

KINDS = [f"kind:{each}" for each in ("vertex", "edge", "elist", "mlist", "message")]
DOMAINS = [
    f"domain:{each}"
    for each in (
        *("g", "vertices", "edges", "active", "active_edges", "only", "only_one"),
        *("receivers", "messages", "mask"),
    )
]
WORDS = ("sum", "prod", "min", "max", "any", "all", *COMBINERS)
STORES = ["own vertex", "own edge", "own +="]
STORES += [f"vertex {each}" for each in ("+", "-", "*", "min", "max", "&", "|", "^")]
STORES += ["link edge own", "link", "constant"]
OTHERS = """send:e.send send:v.send send:v.send_to send:link.send act:activate act:keep_going
act:halt message:record message:tuple message:int message:float message:bool combine:fields
aggregator:total aggregator:count aggregator:largest aggregator:smallest aggregator:column carried
loop:1 loop:2 loop:until relax draw:random draw:randint helper far:Spot far:Line statement:while
statement:range statement:links statement:messages statement:break fill:number fill:column
fill:values index:plain index:chosen index:compared far:unnamed guard:if guard:return guard:local
claim statement:return statement:if~not bool:mirrored parameter:record name:awkward name:ended
name:keyword_ far:what~is~written name:long name:not~ASCII graph:undirected
graph:none schedule:emv.by_superstep() schedule:emv.near_far(2.0)
schedule:emv.queue() schedule:emv.all_active() deterministic:True returned~values
store:own~from~far"""
WANTED = [
    *KINDS,
    *DOMAINS,
    *(f"combiner:{each}" for each in WORDS),
    *(f"store:{each}" for each in STORES),
    *(each.replace("~", " ") for each in OTHERS.split()),
]


def test_programs_have_every_part_of_the_language():
    found: collections.Counter[str] = collections.Counter()
    for number in range(NUM_PROGRAMS):
        found.update(dict.fromkeys(case_of(seeded(number)).features, 1))
    seldom = {each: found[each] for each in WANTED if found[each] < SELDOM}
    assert not seldom


def test_text_for_cores(tmp_path):
    with interpreted() as kernels:
        for number in range(NUM_PROGRAMS):
            case = case_of(seeded(number))
            if any(each.wrong for each in compare(case, tmp_path, ("cpu",))):
                pytest.fail(shortest(case, tmp_path, "cpu"))
        assert kernels.ran > NUM_PROGRAMS  # it is the generated text that ran


def test_text_for_cores_on_two_threads(tmp_path):
    with interleaved() as turns:
        for number in ON_TWO_THREADS:
            case = case_of(seeded(number))
            if any(each.wrong for each in compare(case, tmp_path, ("cpu",))):
                pytest.fail(shortest(case, tmp_path, "cpu"))
        assert turns.shared > len(ON_TWO_THREADS)  # regions in which a thread was interrupted


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(cases())
def test_drawn_programs(tmp_path_factory, case: Case):
    folder = tmp_path_factory.getbasetemp()
    with interpreted():
        reports = compare(case, folder, ("cpu",))
    assert not any(each.wrong for each in reports), failure(case, reports)


@pytest.mark.parametrize("number", COMPILED)
def test_compiled(number, tmp_path):
    case = case_of(seeded(number))
    reports = compare(case, tmp_path, ("cpu",))
    assert not any(each.wrong for each in reports), failure(case, reports)


def test_the_same_choices_make_the_same_program():
    case = case_of(seeded(11))
    again = case_of(replayed(case.numbers))
    assert (again.source, again.graph, again.arguments) == (case.source, case.graph, case.arguments)


def test_a_program_is_made_as_short_as_it_can_be():
    """What fails is any program with a loop: one function in it is left."""

    def fails(numbers: list[int]) -> bool:
        return "g.supersteps" in case_of(replayed(numbers)).source

    numbers = next(made for made in map(numbers_of, range(99)) if fails(made))
    short = shortened(numbers, fails, lambda made: case_of(replayed(made)).spans)
    assert len(case_of(replayed(short)).source.splitlines()) < 30


def numbers_of(seed: int) -> list[int]:
    return case_of(seeded(seed)).numbers
