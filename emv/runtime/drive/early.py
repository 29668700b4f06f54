"""What is known before a run begins: whom calls are applied to, and the values of scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_graph import check_ids
from emv.codegen.state import PLACES
from emv.ir import program as p
from emv.runtime.arguments import Arguments, Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.batches import each_copy, ids_of_copies, of_copies
from emv.runtime.compile import Compiled
from emv.runtime.drive.scalars import evaluate_early


def plan_of(compiled: Compiled, call: Call) -> Plan:
    """Return the plan of a run, nothing allocated yet.

    Raises
    ------
    ArgumentError
        If a ``g.only(...)`` names what is no vertex.
    """
    arguments, copies = each_copy(call.arguments), compiled.schedule.copies
    ids: dict[str, NDArray[Any]] = {}
    for launch in compiled.table.launches:
        if launch.ids is None:
            continue
        if launch.late_id is not None:
            ids[launch.ids] = np.zeros(1, np.int64)  # the launch puts the id there
        else:
            listed = [meant_ids(launch.domain.ids, each, call.graph) for each in arguments]
            ids[launch.ids] = ids_of_copies(listed, copies)
    per_copy = {}
    for slot, expr in compiled.schedule.per_copy.items():
        values = [evaluate_early(expr, each, call.graph) for each in arguments]
        per_copy[expr] = of_copies(values, slot, copies)
    return Plan(compiled, call, ids, per_copy)


def meant_ids(ids: Any, arguments: Arguments, graph: Any) -> NDArray[np.int64]:
    """Return the vertices that ``g.only(ids)`` means, in order and each once.

    Raises
    ------
    ArgumentError
        If one of them is no vertex.
    """
    if isinstance(ids, p.ArrayParameter):
        given: Any = arguments.arrays[ids.name]
    elif isinstance(ids, p.Scalar):
        given = [evaluate_early(ids, arguments, graph)]
    else:
        given = list(ids)
    listed: NDArray[np.int64] = np.unique(np.asarray(given, np.int64))
    check_ids(listed, graph.num_vertices)
    return listed


def put_scalars(plan: Plan) -> None:
    """Put what is known before the run into its scalars; the seed modulo 2**64."""
    call, seed = plan.call, np.uint64(plan.call.seed & (2**64 - 1))
    plan.arrays["state"][PLACES["SEED"]] = seed.view(np.int64)
    for leaf, slot in plan.compiled.slots.items():
        if isinstance(leaf, p.ScalarParameter | p.GraphNumber):
            value = evaluate_early(leaf, call.arguments, plan.graph)
            plan.arrays[slot.array][slot.index] = value
