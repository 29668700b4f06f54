"""The arcs that a pull in a loop keeps: those that pass a test which the loop leaves as it is.

``prepare_pulls`` finds the test. Before the loop, or where receivers look again on a GPU at their
first look, the sources of the arcs that pass are written into an array beside that of all sources,
in the stretch of slots of whoever will fold them; an id that no vertex has stands behind the last
where there is room left.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from emv.codegen.worker import Worker
from emv.ir import body as b
from emv.ir import schedule as s


def asking_body(launch: s.Launch) -> b.Body:
    """Return what is asked of an arc: the test that a launch's body is, with nothing behind it."""
    return dataclasses.replace(
        launch.body, statements=(dataclasses.replace(_test(launch), then=()),)
    )


def passed_body(launch: s.Launch) -> b.Body:
    """Return what is done along an arc that passes."""
    return dataclasses.replace(launch.body, statements=_test(launch).then)


def condition_of(launch: s.Launch) -> b.Expr:
    """Return the test itself."""
    return _test(launch).condition


def kept_array(worker: Worker) -> tuple[str, str]:
    """Name the array of the sources of arcs that were kept, and say what stands behind them."""
    ids = worker.unit.ids
    kept = worker.writer.scratch(f"kept{worker.launch.number}", ids, "A")
    return kept, f"np.{ids}({np.iinfo(ids).max})"


def _test(launch: s.Launch) -> b.If:
    test = launch.body.statements[0]
    assert isinstance(test, b.If)
    return test
