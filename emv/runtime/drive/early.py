"""The values of scalars, and what else is known before a run: whom calls are applied to.

All of it is worked out on the host from the call's numbers and the graph's, in the order of the
program, so that kernels are told numbers. A run with the same arguments finds the plan that the one
before has left, with nothing to work out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_graph import check_ids
from emv.codegen.state import PLACES
from emv.ir import program as p
from emv.ir.operations import applied, worked_out
from emv.ir.slots import Slot
from emv.lang.supersteps import no_superstep
from emv.runtime.arguments import Arguments, Call
from emv.runtime.arrays.memory import check_capacity
from emv.runtime.arrays.plan import Plan, wrapped
from emv.runtime.arrays.prepared import plans_left
from emv.runtime.batches import each_copy, ids_of_copies, of_copies
from emv.runtime.compile import Compiled

SEED = PLACES["SEED"]


def plan_for(compiled: Compiled, call: Call) -> Plan:
    """Return the plan of a run: what one with the same arguments left, or a new one."""
    plan: Plan = call.plan
    if plan is not None and plan.compiled is compiled:
        return plan.again(call)
    left = plans_left(compiled, call)
    if left:
        try:
            plan = left.pop()
            if plan.arguments is call.arguments:  # and no others that have their address by now
                plan.left = left
                return plan.again(call)
        except IndexError:  # another thread has taken it
            pass
    made = plan_of(compiled, call)
    made.left = left
    return made


def plan_of(compiled: Compiled, call: Call) -> Plan:
    """Return the plan of a run, nothing allocated yet.

    Raises
    ------
    ArgumentError
        If a ``g.only(...)`` names what is no vertex.
    CapacityError
        If a batch does not fit, before its copies are looked at one by one.
    LanguageError
        If a loop runs no superstep and what it gives is used behind it.
    """
    listed_by = compiled.table.listed
    if call.arguments.copies:
        named = (name for _, name in listed_by)
        check_capacity(Plan(compiled, call, dict.fromkeys(named, np.zeros(1, np.int64)), {}))
    arguments, copies = each_copy(call.arguments), compiled.schedule.copies
    for loop in compiled.program.must_run:
        if any(evaluate_early(loop.limit, each, call.graph) < 1 for each in arguments):
            raise no_superstep(loop.loc)
    ids: dict[str, NDArray[Any]] = {}
    for launch, name in listed_by:
        if launch.late_id is not None:
            ids[name] = np.zeros(1, np.int64)  # the launch puts the id there
        elif not copies.shift:
            ids[name] = meant_ids(launch.domain.ids, arguments[0], call.graph)
        else:
            listed = [given_ids(launch.domain.ids, each, call.graph) for each in arguments]
            check_ids(np.concatenate(listed), call.graph.num_vertices)
            ids[name] = ids_of_copies(listed, copies)
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
    listed = given_ids(ids, arguments, graph)
    if len(listed) == 1 and 0 <= listed[0] < graph.num_vertices:  # as most often
        return listed
    if not (listed[1:] > listed[:-1]).all():
        listed = np.unique(listed)
    check_ids(listed, graph.num_vertices)
    return listed


def given_ids(ids: Any, arguments: Arguments, graph: Any) -> NDArray[np.int64]:
    """Return the ids in ``g.only(ids)`` as they are given."""
    if isinstance(ids, p.Scalar):
        return np.array([evaluate_early(ids, arguments, graph)], np.int64)
    given = arguments.arrays[ids.name] if isinstance(ids, p.ArrayParameter) else list(ids)
    return np.asarray(given, np.int64)


def put_scalars(plan: Plan) -> None:
    """Put what is known before the run into its scalars; the seed modulo 2**64."""
    numbers, arrays, seed = plan.call.arguments.numbers, plan.arrays, plan.call.seed
    arrays["state"][SEED] = seed if 0 <= seed < 2**63 else wrapped(seed)
    if plan.is_begun:
        return
    for leaf, slot in plan.compiled.early_slots:
        is_parameter = isinstance(leaf, p.ScalarParameter)
        value = numbers[leaf.name] if is_parameter else getattr(plan.whole, leaf.name)
        arrays[slot.array][slot.index] = value
    for step in plan.compiled.early_steps:
        put(plan, step.slot, step.expr)
    plan.keep_start()


def put(plan: Plan, slot: Slot, expr: p.Scalar) -> None:
    """Put the value of an expression into its slot."""
    number = scalar(plan, expr)
    if slot.unsigned:
        number = np.uint64(int(number) & 2**64 - 1).view(np.int64)
    plan.arrays[slot.array][slot.index] = number


def scalar(plan: Plan, expr: p.Scalar) -> Any:
    """Evaluate a scalar expression over the slots; numpy is silent where something is worked out.

    To say so to numpy takes as long as all else that a small call does for a loop.
    """
    if isinstance(expr, p.Number):
        return expr.value
    if not isinstance(expr, p.Operation):
        return held(plan, expr)
    with np.errstate(all="ignore"):
        return evaluate(expr, functools.partial(held, plan), applied)


def held(plan: Plan, leaf: p.Scalar) -> Any:
    """Return what the slot of a scalar holds."""
    slot = plan.compiled.slots[leaf]
    number = plan.arrays[slot.array][slot.index]
    return number.view(np.uint64) if slot.unsigned else number


def evaluate(
    expr: p.Scalar, value_of: Callable[[p.Scalar], Any], work: Callable[..., Any] = worked_out
) -> Any:
    """Return the value of an expression.

    Parameters
    ----------
    value_of : callable
        Returns the value of what is neither a number nor an operation.
    work : callable, optional
        Works an operation out; `applied` where numpy is silent already.
    """
    if isinstance(expr, p.Number):
        return expr.value
    if isinstance(expr, p.Operation):
        given = [evaluate(each, value_of, work) for each in expr.args]
        return work(expr.op, expr.type, tuple(given))
    return value_of(expr)


def evaluate_early(expr: p.Scalar, arguments: Arguments, graph: Any) -> Any:
    """Return a scalar that is known before the run, made of numbers, parameters and counts."""

    def value_of(leaf: Any) -> Any:
        is_parameter = isinstance(leaf, p.ScalarParameter)
        return arguments.numbers[leaf.name] if is_parameter else getattr(graph, leaf.name)

    return evaluate(expr, value_of)
