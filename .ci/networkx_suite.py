"""networkx' own tests with emv as the backend; fails if one fails, or if too few calls reach emv.

Usage: python .ci/networkx_suite.py             what CI runs, with a fallback to networkx
       python .ci/networkx_suite.py --whole     all tests of networkx, with a fallback
       python .ci/networkx_suite.py --bodies    those of its algorithms without a fallback; fails
                                                if too few of them reach emv

The networkx that is tested is the one of the Python that runs this. With `--versions 3.6 3.7` it is
these, each from the package index into a folder of its own, and all at once.

Only tests of functions that emv has, without those that take minutes, and of the centralities with
few variants, as each is compiled once. What emv cannot run
falls back to networkx, so that a test of several functions is run to its end; for this reason the
calls that ran in emv are counted, in all and for each function.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"

FILES = """
algorithms.bipartite.tests.test_basic
algorithms.bipartite.tests.test_generators
algorithms.centrality.tests.test_betweenness_centrality::TestBetweennessCentrality::test_K5
algorithms.centrality.tests.test_betweenness_centrality::TestBetweennessCentrality::test_directed_path
algorithms.centrality.tests.test_betweenness_centrality::TestEdgeBetweennessCentrality::test_K5
algorithms.centrality.tests.test_betweenness_centrality::TestEdgeBetweennessCentrality::test_balanced_tree
algorithms.centrality.tests.test_closeness_centrality::TestClosenessCentrality::test_k5_closeness
algorithms.centrality.tests.test_degree_centrality
algorithms.centrality.tests.test_eigenvector_centrality::TestEigenvectorCentrality::test_K5
algorithms.centrality.tests.test_harmonic_centrality::TestClosenessCentrality::test_p3_harmonic
algorithms.centrality.tests.test_katz_centrality::TestKatzCentrality::test_K5
algorithms.community.tests.test_louvain
algorithms.components
algorithms.link_analysis.tests.test_hits
algorithms.link_analysis.tests.test_pagerank::TestPageRank::test_empty
algorithms.link_analysis.tests.test_pagerank::TestPageRank::test_pagerank
algorithms.link_analysis.tests.test_pagerank::TestPageRank::test_pagerank_max_iter
algorithms.shortest_paths.tests.test_generic
algorithms.shortest_paths.tests.test_unweighted
algorithms.shortest_paths.tests.test_weighted
algorithms.tests.test_cluster
algorithms.tests.test_core
algorithms.tests.test_dag
algorithms.tests.test_distance_measures::TestDistance::test_center
algorithms.tests.test_distance_measures::TestDistance::test_diameter
algorithms.tests.test_distance_measures::TestDistance::test_eccentricity
algorithms.tests.test_distance_measures::TestDistance::test_periphery
algorithms.tests.test_distance_measures::TestDistance::test_radius
algorithms.tests.test_distance_measures::TestWeightedDistance
algorithms.tests.test_isolate
algorithms.tests.test_link_prediction::TestJaccardCoefficient
algorithms.tests.test_reciprocity
algorithms.traversal
algorithms.tree.tests.test_mst
algorithms.tree.tests.test_recognition
classes.tests.test_function
generators.tests.test_classic
generators.tests.test_community
generators.tests.test_ego
generators.tests.test_small
linalg.tests.test_graphmatrix
tests.test_convert
tests.test_convert_numpy
tests.test_convert_scipy
""".split()
UNREACHED = {
    *("florentine_families_graph", "les_miserables_graph", "overall_reciprocity"),
    *("generic_bfs_edges", "local_constraint"),
}
"""Functions that networkx' tests call with nothing or not."""
UNREACHED_FROM_37 = {"barycenter", "floyd_warshall"}
"""The same of networkx 3.7, where the first is another name of ``centroid``."""
REACHED = 150
"""Functions that the part of the tests that CI runs reaches, at least; `--whole` must reach all."""
FLOOR = 1500
"""Calls that ran in emv, at least."""
BODIES = 1900
"""Tests of networkx' algorithms that reach emv without a fallback, at least."""


def run_tests(files: Sequence[str], *, fallback: bool = True) -> tuple[int, str]:
    """Return the exit code of pytest and what it wrote."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-o", "addopts=", "--pyargs"]  # no examples of docstrings, as emv's own tests have
    variables = {"NETWORKX_TEST_BACKEND": "emv", "EMV_NUM_THREADS": "1"}
    if fallback:
        variables["NETWORKX_FALLBACK_TO_NX"] = "True"
    done = subprocess.run(
        [*command, *(f"networkx{each and '.'}{each}" for each in files)],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def run_versions(versions: Sequence[str], others: Sequence[str]) -> int:
    """Run this for some versions of networkx side by side; return 1 if one of them fails."""
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda version: run_version(version, others), versions))
    for version, each in zip(versions, done, strict=True):
        print(f"--- networkx {version}", each.stdout, sep="\n", flush=True)
    return int(any(each.returncode for each in done))


def run_version(version: str, others: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run this for a version of networkx.

    It has no compiled code, so that 3.7, which asks for Python 3.12, is tested with 3.11, too.
    """
    folder = BUILD / f"networkx-{version}"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
    install += ["--ignore-requires-python", "--target", str(folder), f"networkx=={version}.*"]
    subprocess.run(install, check=True)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, __file__, *others],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )


def calls_in(text: str) -> dict[str, int]:
    """Return how many calls of each function ran in emv, from what the backend wrote.

    Examples
    --------
    >>> calls_in("3 calls ran in emv: has_path 2, triangles 1")
    {'has_path': 2, 'triangles': 1}
    """
    line = re.search(r"^\d+ calls ran in emv: (.*)$", text, re.MULTILINE)
    pairs = [each.split() for each in line[1].split(", ")] if line and line[1] else []
    return {name: int(count) for name, count in pairs}


def bodies_in(text: str) -> tuple[int, int]:
    """Return how many tests reached emv, and how many of them ran to their end.

    Examples
    --------
    >>> bodies_in("7 tests reached emv, 5 to their end")
    (7, 5)
    """
    line = re.search(r"^(\d+) tests reached emv, (\d+) to their end$", text, re.MULTILINE)
    return (int(line[1]), int(line[2])) if line else (0, 0)


def run_bodies() -> int:
    """Run the tests of algorithms without a fallback; return 1 if one fails or few reach emv."""
    code, text = run_tests(["algorithms"], fallback=False)
    print(text[-4000:])
    reached, ended = bodies_in(text)
    print(f"{reached} test bodies reached emv, of {BODIES} there must be; {ended} ran to their end")
    return int(code != 0 or reached < BODIES)


def main() -> int:
    """Run the tests, and return 1 if one fails or too few calls reach emv."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--bodies", action="store_true")
    parser.add_argument("--versions", nargs="+")
    given = parser.parse_args()
    if given.versions:
        others = {"--whole": given.whole, "--bodies": given.bodies}
        return run_versions(given.versions, [each for each, is_asked in others.items() if is_asked])
    if given.bodies:
        return run_bodies()
    from emv.networkx.info import FUNCTIONS
    from emv.networkx.versions import is_from

    code, text = run_tests([""] if given.whole else FILES)
    import networkx as nx

    print(f"networkx {nx.__version__}", text[-4000:], sep="\n")
    calls = calls_in(text)
    left_out = UNREACHED | (UNREACHED_FROM_37 if is_from(3, 7) else set())
    unreached = sorted(set(FUNCTIONS) - set(calls) - left_out)
    print(f"{sum(calls.values())} calls ran in emv, of {FLOOR} there must be")
    print(f"{len(calls)} functions were called; no call reached {', '.join(unreached) or 'none'}")
    is_short = bool(unreached) if given.whole else len(calls) < REACHED
    return int(code != 0 or is_short or sum(calls.values()) < FLOOR)


if __name__ == "__main__":
    sys.exit(main())
