"""What supersteps of parts cost here, told by programs of which each loop does one thing.

The constants of `emv.graph.parts.Parts.seconds` are those that explain their runs best: each of
them is much in one run and little in another. Graphs have as many vertices as the graph in
question, as the host's part depends on how long columns are. Runs of all kinds take turns, so that
a machine that is slow for a while is so for all: what counts of each is the time it takes at the
usual pace. By itself each would be taken at another one, as short runs have more of a round.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.config import Grouped
from emv.graph.supersteps import TERMS, Costs, Superstep
from emv.lang.hops import hops
from emv.runtime.measured import kept_costs
from emv.runtime.probes import NONE, PROGRAMS, STEPS, graphs
from emv.runtime.targets.fronts import STAGED, behind_fronts, with_rows

ROUNDS = 5
POLISHES = 8  # from which on nothing changes any more
TURN_S = 0.03  # that a case runs, again and again, before the next does
FEWEST, MOST = 2**4, 2**20  # vertices
OF_KERNELS = [TERMS.index(term) for term in ("arc", "vertex", "walked", "drawn")]
LAUNCH = TERMS.index("launch")
VALUE_BYTES = 4  # of what a vertex hands on
STEP_BITS = 4  # of a number of vertices that count: graphs of about as many share constants


ALL = Superstep(arrays=0, row_bytes=0, sweeps=0)
ALONE = dataclasses.replace(ALL, visits=0)
PULLED = dataclasses.replace(ALL, sweeps=1, pulls=1)
TOLD = dataclasses.replace(PULLED, arrays=1, row_bytes=VALUE_BYTES)
JOINED = dataclasses.replace(ALONE, joins=1)
DRAWN = dataclasses.replace(JOINED, active=1, draws=1, guarded=True)
FOUND = dataclasses.replace(JOINED, active=1, arrays=1, row_bytes=VALUE_BYTES)
CLAIMED: dict[str, Any] = {"claims": True, "arrays": 0, "row_bytes": 0}
"""What else is so of those found where kernels meet: they are claimed, and hand on nothing."""


class Case(NamedTuple):
    """A kind of run: on which graph, which loop how often, and what a superstep of it does.

    All programs begin with a call on one vertex, which is a part of the start.
    """

    graph: str
    counts: dict[str, int]
    does: Superstep = ALONE
    hops: int = 1
    program: str = "probe"
    before: int = 0


CASES = {
    "nothing": Case("few", {}),
    "one loop": Case("few", {"finds": 0}, program="search"),
    "lone": Case("few", {"lone": STEPS}, ALONE),
    "visits": Case("few", {"visits": STEPS}, ALL),
    "sums": Case("few", {"sums": STEPS}, dataclasses.replace(ALL, sums=1)),
    "pulls": Case("few", {"pulls": STEPS}, PULLED),
    "exchanges": Case("few", {"exchanges": STEPS}, TOLD),
    "wide": Case("wide", {"exchanges": STEPS}, TOLD),
    "full": Case("full", {"exchanges": STEPS}, TOLD),
    "joins": Case("few", {"joins": STEPS}, JOINED),
    "path": Case("few", {"finds": STEPS}, FOUND, program="search", before=1),
    "some": Case("some", {"finds": STEPS}, FOUND, program="search", before=1),
    "finds": Case("full", {"finds": STEPS}, FOUND, program="search", before=1),
    "chance": Case("few", {"finds": STEPS}, DRAWN, program="gamble"),
    "many chances": Case("full", {"finds": STEPS}, DRAWN, program="gamble"),
}
"""What is run everywhere."""

OF_ROUNDS = {
    "levels": Case("few", {"exchanges": STEPS}, TOLD, 2),
    "one step": Case("few", {"finds": 1}, FOUND, program="search", before=1),
    "one join": Case("few", {"joins": 1}, JOINED),
    "swept": Case("full", {"pulls": STEPS}, PULLED),
}
"""What else is run where the host hands rows on."""

OF_MEETINGS = {
    "long": Case("long", {"exchanges": STEPS}, TOLD),
    "front": Case("front", {"finds": STEPS}, FOUND, program="search"),
    "dense": Case("dense", {"finds": STEPS}, FOUND, program="search"),
    "chances": Case("front", {"finds": STEPS}, DRAWN, program="gamble"),
    "dense chances": Case("dense", {"finds": STEPS}, DRAWN, program="gamble"),
    "long chances": Case("long", {"finds": STEPS}, DRAWN, program="gamble"),
}
"""What else is run where kernels meet: fronts take other forms there, by how many are active."""


@dataclass
class Probe:
    """Runs of a program on graphs of so many vertices, on parts of some place.

    Parameters
    ----------
    program : callable
        What makes a program of `probe`.
    label : str
        The name of the place, such as ``"cuda:0,1/ranges/host"``.
    size : int
        Vertices.
    has_rounds : bool
        Whether replicas may be of several hops there.
    """

    program: Any
    label: str
    size: int
    has_rounds: bool

    def __post_init__(self) -> None:
        made = graphs(self.size)
        self.places = {name: each.on(self.label) for name, each in made.items()}
        number = parts_at(self.label)
        self.parts = {name: each.parts(number, hops=3) for name, each in made.items()}
        self.cases = CASES | (OF_ROUNDS if self.has_rounds else OF_MEETINGS)
        self.seconds: dict[str, list[list[float]]] = {name: [] for name in self.cases}  # by turn
        self.kernels: dict[str, list[float]] = {name: [] for name in self.cases}  # of it, by run
        # What is compiled and made for a graph is so here.
        self.steps = {
            name: self.steps_of(each, self.run(name)) for name, each in self.cases.items()
        }

    def run(self, name: str) -> Any:
        """Run a case."""
        case = self.cases[name]
        asked = {"schedule": hops(case.hops)} if case.hops > 1 else {}
        counts = NONE | case.counts if case.program == "probe" else case.counts
        made = _made(self.program, case.program)
        return made.run(self.places[case.graph], **counts, **asked)

    def steps_of(self, case: Case, run: Any) -> list[Superstep]:
        """Return what each superstep of a run did."""
        graph, meets = self.places[case.graph], not self.has_rounds
        does = dataclasses.replace(case.does, meets=meets)
        if case.program == "probe":
            return [with_rows(does, graph, STAGED * does.pulls)] * run.supersteps
        if meets and case.program == "search":
            does = dataclasses.replace(does, **CLAIMED)
        return behind_fronts(does, graph, np.asarray(run.result))[: run.supersteps]

    def tasks(self) -> list[Callable[[], None]]:
        """Return what runs each case for a while."""
        noted = {name: functools.partial(self.noted, name) for name in self.cases}
        return [functools.partial(take_turn, noted[name], self.seconds[name]) for name in noted]

    def noted(self, name: str) -> Any:
        """Run a case, and note what its kernels take."""
        run = self.run(name)
        self.kernels[name].append(sum(each.seconds for each in run.launches))
        return run

    def amounts(self, name: str) -> NDArray[np.float64]:
        """Return how much a run of a case has of what costs something, its loops, and its start."""
        case, parts = self.cases[name], self.parts[self.cases[name].graph]
        loops = len(NONE) if case.program == "probe" else 1
        return np.append(parts.amounts_of_run(self.steps[name], case.hops, case.before), [loops, 1])

    def amounts_of_kernels(self, name: str) -> NDArray[np.float64]:
        """Return how much of that is the kernels' alone, and how often any is launched."""
        amounts = self.amounts(name)
        found: NDArray[np.float64] = np.append(np.zeros(len(amounts)), amounts[LAUNCH] + 1)
        found[OF_KERNELS] = amounts[OF_KERNELS]
        return found

    def costs(self, taken: NDArray[np.float64] | None = None) -> Costs:
        """Return the constants that explain the seconds of all cases best, none below 0.

        Where the host launches kernels, it works while they do, so what these take by the clock of
        their place is explained besides. Others may have taken turns with the cases: then it is
        given what they take beside those.
        """
        from scipy.optimize import nnls  # few ask for it

        taken = at_usual_pace([*self.seconds.values()]) if taken is None else taken
        amounts = np.stack([np.append(self.amounts(name), 0.0) for name in self.seconds])
        if self.has_rounds:
            of_kernels = [self.amounts_of_kernels(name) for name in self.seconds]
            amounts = np.concatenate([amounts, of_kernels])
            taken = np.append(taken, [*map(np.median, self.kernels.values())])
        rows = amounts / taken[:, None]
        largest = np.maximum(rows.max(axis=0), 1e-300)
        found, _ = nnls(rows / largest, np.ones(len(rows)))
        each = (found / largest)[:-1].tolist()  # what any kernel takes is a part of a launch
        named = dict(zip((*TERMS, "loop", "start"), each, strict=True))
        byte_s = named.pop("byte")
        rate = 1 / byte_s if byte_s else math.inf
        return Costs(bytes_per_s=rate, **{f"{key}_s": each for key, each in named.items()})


def in_turns(
    tasks: Sequence[Callable[[], Any]], rounds: int, seconds: float = math.inf, fewest: int = 0
) -> None:
    """Do all tasks in every round, which ends after so many seconds, but for the first few.

    A machine that is slow for a while is slow for neighbours, so each round has another order.
    """
    rng, until = np.random.default_rng(0), time.perf_counter() + seconds
    for number in range(rounds):
        if number < fewest or time.perf_counter() < until:
            for chosen in rng.permutation(len(tasks)):
                tasks[chosen]()


def take_turn(run: Callable[[], Any], turns: list[list[float]]) -> None:
    """Run something at least once and until its turn is over, and note what its runs take."""
    until, seconds = time.perf_counter() + TURN_S, [run().seconds]
    while time.perf_counter() < until:
        seconds.append(run().seconds)
    turns.append(seconds)


def at_usual_pace(cases: Sequence[Sequence[Sequence[float]]]) -> NDArray[np.float64]:
    """Return what runs of each case take where the machine is as fast as in most rounds.

    By medians of turns; a round is so much slower than others as most of its turns are (J. Tukey,
    Exploratory Data Analysis, 1977: the median polish, of logarithms).

    Examples
    --------
    >>> quick, slow = [1.0, 1.0, 9.0], [3.0, 3.0]
    >>> at_usual_pace([[quick, quick, slow], [[2.0], [2.0], [6.0]]]).round(6)
    array([1., 2.])
    """
    turns = np.log([[np.median(turn) for turn in case] for case in cases])
    paces = np.zeros(turns.shape[1])
    for _ in range(POLISHES):
        found = np.median(turns - paces, axis=1)
        paces = np.median(turns - found[:, None], axis=0)
        paces -= np.median(paces)
    seconds: NDArray[np.float64] = np.exp(found)
    return seconds


def parts_at(label: str) -> int:
    """Return how many parts a place has."""
    if label.startswith("cuda"):
        return len(Grouped.of(label).devices)
    return int(label.split("/")[1])


def place_of(label: str) -> str:
    """Return the same place with graphs divided by ranges, as rows lie apart in any case."""
    if not label.startswith("cuda"):
        return "/".join(label.split("/")[:2])
    grouped = Grouped.of(label)
    return str(dataclasses.replace(grouped, way="ranges"))


def size_for(vertices: int) -> int:
    """Return about as many vertices, such that most numbers have those of others.

    Examples
    --------
    >>> size_for(65_536), size_for(65_537), size_for(70_000), size_for(10**8)
    (65536, 73728, 73728, 1048576)
    """
    size = max(FEWEST, min(vertices, MOST))
    step = 1 << max(0, (size - 1).bit_length() - STEP_BITS)
    return -(-size // step) * step


def probed(program: Any, label: str, vertices: int, has_rounds: bool) -> Costs:
    """Return the constants of a place for graphs of about so many vertices.

    What another process has measured there lately is taken, see `measured`.
    """
    return _probed(program, place_of(label), size_for(vertices), has_rounds)


@functools.cache
def _probed(program: Any, label: str, size: int, has_rounds: bool) -> Costs:
    measure = functools.partial(_measured, program, label, size, has_rounds)
    return kept_costs(label, measure, size, has_rounds, CASES, OF_ROUNDS, OF_MEETINGS)


def _measured(program: Any, label: str, size: int, has_rounds: bool) -> Costs:
    found = Probe(program, label, size, has_rounds)
    in_turns(found.tasks(), ROUNDS)
    return found.costs()


@functools.cache
def _made(program: Any, name: str) -> Any:
    return program(PROGRAMS[name])
