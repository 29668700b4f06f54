"""Run a random program eagerly and compiled, and say where the two differ."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from random_choices import replayed, shortened
from random_programs import Case, case_of

import emv
from emv import Graph
from emv.errors import ArgumentError, CompileError, EmvError, GraphError, LanguageError

REFUSALS = (
    "cannot be kept one by one in compiled code",
    "is computed after",
    "the supersteps of this loop differ",
)
"""What compiled code refuses and plain Python runs, as its errors say."""


@dataclass
class Report:
    """What came of a program on a backend.

    Attributes
    ----------
    refused : list of str
        Errors that the language promises: of a schedule that does not fit, of stored messages.
    wrong : str
        How the backend disagrees; empty if it agrees.
    """

    backend: str
    refused: list[str] = field(default_factory=list)
    wrong: str = ""


def load(case: Case, folder: Path) -> ModuleType:
    """Return the program's module; functions need a file, since they are read."""
    name = f"random_{hashlib.sha256(case.source.encode()).hexdigest()[:16]}"
    path = folder / f"{name}.py"
    path.write_text(case.source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def graph_of(case: Case) -> Graph:
    """Return the graph of a case."""
    described = case.graph
    graph = Graph.from_edges(
        np.array(described["src"], np.int64),
        np.array(described["dst"], np.int64),
        num_vertices=described["num_vertices"],
        directed=described["directed"],
    )
    for kind in ("vertices", "edges"):
        for name, (dtype, values) in described[kind].items():
            getattr(graph, kind)[name] = np.array(values, dtype)
    return graph


def run(case: Case, module: ModuleType, backend: str, schedule: Any = None) -> Any:
    with warnings.catch_warnings(), emv.config.using(deterministic=case.deterministic):
        warnings.simplefilter("ignore")
        return module.main.run(
            graph_of(case), **case.arguments, backend=backend, rng=5, schedule=schedule
        )


def compare(case: Case, folder: Path, backends: tuple[str, ...]) -> list[Report]:
    """Run a case on backends and compare each with the eager run.

    Raises
    ------
    EmvError, ArithmeticError, ...
        If the program cannot run eagerly: then it should not have been made.
    """
    module = load(case, folder)
    try:
        expected = run(case, module, "python")
        return [compared(case, module, expected, each) for each in backends]
    finally:
        del sys.modules[module.__name__]


def compared(case: Case, module: ModuleType, expected: Any, backend: str) -> Report:
    report = Report(backend)
    schedule = eval(case.schedule, {"emv": emv})
    try:
        try:
            found = run(case, module, backend, schedule)
        except (ArgumentError, GraphError) as error:
            if schedule is None:
                raise
            report.refused.append(str(error).split("\n")[0])
            schedule = None
            found = run(case, module, backend)
        report.wrong = difference(case, expected, found)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, LanguageError) and not isinstance(error, CompileError):
            known = [each for each in REFUSALS if each in said]
            report.refused += known
            if known:
                return report
        where = "" if isinstance(error, EmvError) else traceback.format_exc()[-1500:]
        report.wrong = f"{said}\n{where}"
    return report


def difference(case: Case, expected: Any, found: Any) -> str:
    """Return how two runs differ; empty if they do not."""
    wrong = differs(expected.result, found.result, "result")
    if wrong or "relax" in case.features:  # loops that relax in place have supersteps of their own
        return wrong
    course = (expected.supersteps, expected.stopped), (found.supersteps, found.stopped)
    return "" if course[0] == course[1] else f"supersteps: {course[0]} eagerly, {course[1]}"


def differs(expected: Any, found: Any, where: str) -> str:
    if isinstance(expected, tuple):
        if not isinstance(found, tuple) or len(expected) != len(found):
            return f"{where}: {expected} eagerly, {found}"
        parts = (
            differs(a, b, f"{where}[{k}]")
            for k, (a, b) in enumerate(zip(expected, found, strict=True))
        )
        return next(filter(None, parts), "")
    a, b = np.asarray(expected), np.asarray(found)
    if a.dtype != b.dtype or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
        return f"{where}: {a!r} eagerly, {b!r}"
    return ""


def failure(case: Case, reports: list[Report]) -> str:
    """Return the text of a test that shows what is wrong."""
    wrong = [f"# {each.backend}: {each.wrong}" for each in reports if each.wrong]
    return "\n".join(wrong).replace("\n", "\n# ") + "\n" + case.text()


def shortest(case: Case, folder: Path, backend: str, most_tries: int = 600) -> str:
    """Return the failure of the shortest program found that is wrong in the same manner.

    Returns
    -------
    str
        Empty if the case is right.
    """

    def reports(numbers: list[int]) -> list[Report]:
        try:
            return compare(case_of(replayed(numbers)), folder, (backend,))
        except Exception:
            return []  # it is no program any more

    def manner(found: list[Report]) -> str:
        wrong = found[0].wrong if found else ""
        return "result" if wrong.startswith("result") else wrong[:12]

    wanted = manner(reports(case.numbers))
    if not wanted:
        return ""
    numbers = shortened(
        case.numbers,
        lambda made: manner(reports(made)) == wanted,
        lambda made: case_of(replayed(made)).spans,
        most_tries,
    )
    return failure(case_of(replayed(numbers)), reports(numbers))
