"""The papers' experiments: what they say beside what is measured here, row by row of the paper map.

Usage: python -m bench.papers [--target cpu|cuda] [--only PART ...] [--graphs GRAPH ...]
           [--sources 100] [--rounds 10] [--budget 2] [--limit SECONDS] [--tiny] [--json FILE]

searches   S153 to S157, S159: BFS and SSSP from random sources in arcs a second, by hand too
phases     S156, figure 6: SSSP's time cleared, sent, combined, updated (GPU)
levels     S157: BFS over all vertices in every level, beside its bound, the bytes of the depths
gascl      S165, S166: GasCL's two programs on its graphs, cores and GPU, with the bus
records    S160: fields side by side (AoS) and in columns (SoA), by hand
passes     S163: the array buffer in two passes (count, prefix sum, write, group) beside emv's

S164, growing graphs, is `bench.growth`. S170 to S172, which count words, are
`tests/words_of_programs.py`. Medusa's four on cores and on a GPU, N and Q (S158, S159) are rows of
``bench.suite --suites medusa``, buffers, layouts and kinds of functions (S160, S161, S163) of
`bench.ablations`. Exits 1 when something is wrong.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator

from bench import papers_gascl, papers_memory, papers_searches
from bench.papers_setting import Setting
from bench.study import Row, run
from bench.suite_measure import HostClock
from bench.timing import DeviceClock, describe
from emv.config import config

PARTS: dict[str, Callable[[Setting], Iterator[Row]]] = {
    "searches": papers_searches.searches,
    "phases": papers_searches.phases,
    "levels": papers_searches.level_bound,
    "gascl": papers_gascl.gascl,
    "records": papers_memory.records,
    "passes": papers_memory.passes,
}


def papers(
    target: str = "cpu",
    only: tuple[str, ...] = tuple(PARTS),
    graphs: tuple[str, ...] = (),
    sources: int = 100,
    rounds: int = 10,
    budget: float = 2.0,
    tiny: bool = False,
) -> Iterator[Row]:
    """Run the papers' experiments."""
    clock = DeviceClock() if target == "cuda" else HostClock()
    setting = Setting(target, target, clock, graphs, sources, rounds, budget, tiny)
    for name in only:
        yield from rows_of(name, setting)


def rows_of(name: str, setting: Setting) -> Iterator[Row]:
    """Yield the rows of a part; what fails is one, so that the others go on."""
    try:
        yield from PARTS[name](setting)
    except Exception as error:
        traceback.print_exc()
        yield {"what": name, "fault": f"{type(error).__name__}: {error}".splitlines()[0]}


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when something is wrong."""
    return run(
        "bench.papers",
        papers,
        arguments=arguments,
        machine=lambda options: describe(options["target"]) | {"threads": config.num_threads},
    )


if __name__ == "__main__":
    sys.exit(main())
