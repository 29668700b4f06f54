"""From the traced program to launches: a send, the fold of its messages and their receiver in one.

Messages are a fiction where they can be. A call that sends, the folds of what it sent and the one
vertex function that receives the folds become one launch without a message array. What else wants
the messages or the folds (several receivers, an @mlist function, the result of the program) makes
them real: folds in one array per component, messages in slots.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.config import config
from emv.errors import LanguageError
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.annotated import message_type
from emv.lang.carry import holds_step, leaves_in
from emv.lang.effects import Effects
from emv.lang.folds import FIELD_BY_FIELD, by_parts, check_initial, combined_type
from emv.lang.laws import check_laws
from emv.passes.around import Setting
from emv.passes.count_uses import count_uses
from emv.passes.double_buffer import disagrees
from emv.passes.split_lists import arc_form

LONGEST_NAME = 100  # of a launch: caches make file names of it


def fuse(program: p.Program, setting: Setting) -> tuple[s.Schedule, dict[Any, s.Slot]]:
    """Return the launches of a program, on which nothing is decided yet, and its scalars' slots."""
    fuser = Fuser(program, setting.id_type)
    steps = fuser.block(program.body)
    fuser.results(program.results)
    schedule = s.Schedule(
        program,
        steps,
        program.results,
        fuser.num_slots,
        False,
        s.written_columns(steps) | (setting.written or frozenset()),
        values=fuser.values,
        alone=setting.target == "cpu" and config.num_threads == 1,
        is_piece=setting.is_piece,
    )
    return schedule, fuser.slots


class Fuser:
    """Builds the steps of one program."""

    def __init__(self, program: p.Program, id_type: str) -> None:
        self.program = program
        self.id_type = id_type
        self.slots: dict[Any, s.Slot] = {}
        self.num_slots = {"ints": 0, "floats": 0}
        self.values: dict[int, s.Values] = {}
        self.uses = count_uses(program)

    def new_slot(self, kind: str) -> s.Slot:
        """Return a fresh slot for a scalar of a type."""
        array = "floats" if kind in ("f32", "f64", "float") else "ints"
        self.num_slots[array] += 1
        return s.Slot(array, self.num_slots[array] - 1, unsigned=kind == "u64")

    def slot_of(self, leaf: p.Scalar) -> s.Slot:
        """Return the slot of a parameter, graph number, step or aggregate."""
        if leaf not in self.slots:
            self.slots[leaf] = self.new_slot(leaf.type)
        return self.slots[leaf]

    def kind(self, kind: Any) -> Any:
        """Return a type with ``id`` replaced by the width of this graph's ids."""
        return b.with_ids(kind, self.id_type)

    def scalar(self, expr: p.Scalar) -> p.Scalar:
        """Give slots to the leaves of a scalar expression."""
        if isinstance(expr, p.Operation):
            for each in expr.args:
                self.scalar(each)
        elif not isinstance(expr, p.Number):
            self.slot_of(expr)
        return expr

    def results(self, results: Any) -> None:
        """Give slots to the scalars that the program returns."""
        if isinstance(results, tuple | dict):
            for each in results.values() if isinstance(results, dict) else results:
                self.results(each)
        elif isinstance(results, p.Scalar):
            self.scalar(results)

    def block(self, nodes: tuple[p.Node, ...]) -> tuple[Any, ...]:
        """Return the steps of a block."""
        steps: list[Any] = []
        done: set[int] = set()
        for position, node in enumerate(nodes):
            if id(node) in done:
                continue
            if isinstance(node, p.Apply):
                steps += self.call(node, nodes[position + 1 :], done)
            elif isinstance(node, p.Combine) and isinstance(node.source, p.Column):
                steps += self.column_fold(node)
            elif isinstance(node, p.Aggregate):
                steps += self.aggregate(node)
            elif isinstance(node, p.Fill):
                steps += self.fill(node)
            elif isinstance(node, p.Loop):
                steps += self.loop(node)
        return tuple(steps)

    def loop(self, node: p.Loop) -> list[Any]:
        """Return a loop, behind what it hands on at first; where it runs is decided later."""
        first = [self.put(leaf, value) for leaf, value, _ in node.carried if value is not None]
        step = self.slot_of(p.Step("i64", node.id))
        body, until = self.block(node.body), node.until
        # Asked before what is handed on changes, and before the superstep number does.
        if until is not None and (node.carried or holds_step(until, node.id)):
            asked = p.Carried(until.type, node.id, "until=")  # which no variable is called
            body = (*body, self.put(asked, until))
            until = asked
        body += tuple(self.handed_on(node))
        if until is not None:
            self.scalar(until)
        limit = self.scalar(node.limit)
        loop = s.LoopStep(node.id, step, limit, until, node.by_votes, body, False, "", node.loc)
        return [*first, dataclasses.replace(loop, in_place=node.in_place)]

    def handed_on(self, node: p.Loop) -> list[Any]:
        """Return the steps by which a loop hands its numbers on, all at once."""
        if len(node.carried) == 1:
            return [self.put(leaf, then) for leaf, _, then in node.carried]
        later = [
            (dataclasses.replace(leaf, is_next=True), leaf, then) for leaf, _, then in node.carried
        ]
        steps = [self.put(each, then) for each, _, then in later]
        return [*steps, *(self.put(leaf, each) for each, leaf, _ in later)]

    def put(self, leaf: p.Scalar, value: p.Scalar) -> s.SetScalar:
        """Return the step that evaluates a scalar into the slot of another."""
        return s.SetScalar(self.slot_of(leaf), self.scalar(value))

    def fill(self, node: p.Fill) -> list[Any]:
        """Return the steps of ``column[:] = value``."""
        if isinstance(node.value, p.Ref):
            return [s.FillColumn(node.column, self.values[node.value.id])]
        if isinstance(node.value, p.Column):
            return [s.FillColumn(node.column, node.value)]
        slot = self.new_slot(node.value.type)
        return [s.SetScalar(slot, self.scalar(node.value)), s.FillColumn(node.column, slot)]

    def column_fold(self, node: p.Combine) -> list[Any]:
        """Return the fold of an edge column per vertex."""
        field = self.program.fields[node.source.kind, node.source.name]
        folded = b.type_of(field.dtype)
        given = getattr(node.initial, "type", None)
        check_initial(node.ops[0].name, given, folded, node.loc)
        check_laws(node.ops[0], folded)
        values = self.values[node.id] = s.Values(node.id, combined_type(node.ops[0], folded))
        steps, initial = self.initial(node, folded)
        fold = s.FoldColumn(values, node.ops[0], node.source, node.by or "dst", initial)
        return [*steps, fold]

    def initial(self, node: p.Combine, kind: Any) -> tuple[list[Any], tuple[s.Slot, ...] | None]:
        """Return the steps that evaluate ``initial=`` and its slots."""
        if node.initial is None:
            return [], None
        parts = node.initial if isinstance(node.initial, tuple) else (node.initial,)
        kinds = s.component_types(kind)
        slots = tuple(
            self.new_slot("u64" if inner == "u64" else part.type)
            for part, inner in zip(parts, kinds, strict=True)
        )
        steps = [s.SetScalar(k, self.scalar(part)) for k, part in zip(slots, parts, strict=True)]
        return list(steps), slots

    def aggregate(self, node: p.Aggregate) -> list[Any]:
        """Return the fold of kept values; those of calls were attached to their launch."""
        slot = self.slot_of(aggregated(node, self.program))
        if isinstance(node.source, p.Column):
            return [s.AggregateValues(node.op, node.source, slot)]
        values = self.values.get(node.source.id)
        if values is None or node in self.uses.attached:
            return []
        return [s.AggregateValues(node.op, values, slot)]

    def call(self, node: p.Apply, rest: tuple[p.Node, ...], done: set[int]) -> list[Any]:
        """Return the steps of a call, its folds and its fused receiver."""
        function, steps = node.function, list[Any]()
        args, before = self.arguments(node)
        steps += before + self.takes(node.domain)
        folds = []
        for combine in self.uses.folds.get(node.id, []):
            made, fold = self.fold(combine, node)
            steps += made
            folds.append(fold)
        arcs = arc_form(function)
        launch = s.Launch(
            number=node.id,
            name=function.name,
            loc=node.loc,
            send=function,
            body=self.typed(arcs if arcs is not None else function.body),
            arc_form=arcs is not None,
            domain=node.domain,
            args=args,
            folds=tuple(folds),
            heard=heard_by(node),
            store=node.id in self.uses.stored,
            receivers=node.id in self.uses.receivers,
            **self.returns(node),
        )
        ids = node.domain.ids
        if isinstance(ids, tuple | p.ArrayParameter | p.Scalar):
            launch = dataclasses.replace(launch, ids=f"ids{node.id}")
            if isinstance(ids, p.Scalar) and any(map(_made, leaves_in(ids))):  # known only late
                slot = self.new_slot("i64")
                steps.append(s.SetScalar(slot, self.scalar(ids)))
                launch = dataclasses.replace(launch, late_id=slot)
        receiver = self.receiver(node, rest)
        if receiver is not None:
            received, before = self.receive(receiver, node)
            done.add(id(receiver))
            steps += before
            others = self.uses.receivers.get(node.id, 0) > 1
            launch = dataclasses.replace(launch, receive=received, receivers=others)
        name = "_".join(
            [function.name, *(op.name for fold in folds for op in fold.ops)]
            + ([receiver.function.name] if receiver is not None else [])
        )
        return [*steps, dataclasses.replace(launch, name=name[:LONGEST_NAME])]

    def typed(self, body: b.Body) -> b.Body:
        """Return the body with the message and result types of this graph's ids."""
        message = None if body.message is None else self.kind(body.message)
        result = None if body.result is None else self.kind(body.result)
        return dataclasses.replace(body, message=message, result=result)

    def takes(self, domain: p.Domain) -> list[Any]:
        """Return the step that asks for the active set, where the domain is one."""
        kinds = {"active": "vertex", "active_edges": "edge"}
        return [s.TakeActive(kinds[domain.kind])] if domain.kind in kinds else []

    def arguments(self, node: p.Apply) -> tuple[tuple[s.Argument, ...], list[Any]]:
        """Return a call's arguments and the steps that evaluate its scalars."""
        types = {each.name: each.type for each in node.function.parameters}
        args, steps = list[s.Argument](), list[Any]()
        for name, value in node.args:
            if isinstance(value, p.Ref):
                if name in types:
                    args.append(s.Argument(name, self.values[value.id]))
                continue
            parts = value if isinstance(value, tuple) else (value,)
            slots = []
            for part, kind in zip(parts, s.component_types(types[name]), strict=True):
                slots.append(self.new_slot(kind))
                steps.append(s.SetScalar(slots[-1], self.scalar(part)))
            args.append(s.Argument(name, tuple(slots) if isinstance(value, tuple) else slots[0]))
        return tuple(args), steps

    def fold(self, node: p.Combine, call: p.Apply) -> tuple[list[Any], s.Fold]:
        """Return a fold of a call's messages."""
        kind = self.kind(message_of(call))
        ops = node.ops
        if len(ops) == 1:
            combined = combined_type(ops[0], kind)
        else:
            combined = tuple(combined_type(op, each) for op, each in zip(ops, kind, strict=True))
        steps, initial = self.initial(node, kind)
        if node.initial is not None and any(
            _made(leaf) > call.id for leaf in leaves_in(node.initial)
        ):
            raise LanguageError(
                f"initial={node.initial} is computed after {call.function.name}() has sent",
                node.loc,
                "Messages are folded while they are sent. Compute it before the call, or run with "
                "backend='python'.",
            )
        values = self.values[node.id] = s.Values(node.id, combined)
        whole = len(ops) == 1 and isinstance(kind, tuple) and ops[0].name not in FIELD_BY_FIELD
        whole = whole and not by_parts(ops[0], kind)
        return steps, s.Fold(values, ops, kind, initial, whole)

    def returns(self, node: p.Apply) -> dict[str, Any]:
        """Return what becomes of the values that a call returns."""
        made: dict[str, Any] = {"aggregates": (), "returned": None}
        if node.function.body.result is None:
            return made
        made["aggregates"] = tuple(
            (each.op, self.slot_of(aggregated(each, self.program)))
            for each in self.uses.aggregates.get(node.id, [])
        )
        if node.id in self.uses.kept:
            kind = self.kind(node.function.body.result)
            made["returned"] = self.values[node.id] = s.Values(node.id, kind)
        return made

    def receiver(self, node: p.Apply, rest: tuple[p.Node, ...]) -> p.Apply | None:
        """Return the one vertex function that takes all this call's folds, if it may be fused."""
        found = next((each for each in rest if not isinstance(each, p.Combine | p.Aggregate)), None)
        is_kept = node.id in self.uses.stored or node.domain.kind == "messages"
        if is_kept or not isinstance(found, p.Apply) or not keeps_to_itself(found.function):
            return None
        return found if self.takes_all(found, node, rest[: rest.index(found)]) else None

    def takes_all(self, found: p.Apply, node: p.Apply, before: tuple[p.Node, ...]) -> bool:
        """Return whether a call takes each fold of another's messages, which nobody else takes."""
        folds = self.uses.folds.get(node.id, [])
        mine = found.domain == p.Domain("receivers", node.id)
        if not mine and (found.domain.kind != "all" or not folds):
            return False
        is_listed = "send_to" in node.function.effects.acts  # whatever its direction will be
        if self.uses.receivers.get(node.id, 0) != int(mine) and not (mine and is_listed):
            return False
        given = [value.id for _, value in found.args if isinstance(value, p.Ref)]
        wanted = [each.id for each in folds]
        once = all(self.uses.values.get(each, 0) == 1 for each in wanted)
        # Aggregates that the receiver may want must exist before the sender runs.
        between = [each for each in before if isinstance(each, p.Aggregate)]
        late = any(e not in self.uses.attached or e.source == p.Ref(node.id) for e in between)
        return sorted(given) == sorted(wanted) and once and not late

    def receive(self, node: p.Apply, sender: p.Apply) -> tuple[s.Receive, list[Any]]:
        """Return the fused receiver and the steps before it."""
        args, steps = self.arguments(node)
        everyone = node.domain.kind == "all"
        return s.Receive(node.function, everyone, args, **self.returns(node)), steps


def keeps_to_itself(function: Any) -> bool:
    """Return whether a function runs at vertices and is about each alone, whichever comes first."""
    effects: Effects = function.effects
    far = any(each.where == "far" for each in effects.reads | effects.writes)
    is_joint = far or effects.sends or effects.acts & {"union", "find"}
    return function.kind == "vertex" and not (is_joint or disagrees(function))


def heard_by(node: p.Apply) -> int | None:
    """Return the call whose stored messages a @mlist or @message call takes."""
    if node.function.kind == "message":
        return node.domain.source
    names = {each.name for each in node.function.parameters}
    return next((v.id for name, v in node.args if isinstance(v, p.Ref) and name not in names), None)


def message_of(call: p.Apply) -> Any:
    """Return the type of the messages that a call makes."""
    if call.function.kind == "message":
        return message_type(call.function.record)
    return call.function.body.message


def aggregated(node: p.Aggregate, program: p.Program) -> p.Aggregated:
    """Return the scalar that an aggregator gives, with the type the tracer gave it."""
    for leaf in leaves_in((program.results, program.body)):
        if isinstance(leaf, p.Aggregated) and leaf.id == node.id:
            return leaf
    return p.Aggregated("f64", node.id)


def _made(leaf: p.Scalar) -> int:
    """Return the number of the node that gives a scalar; 0 for what is known before the run."""
    if isinstance(leaf, p.Aggregated):
        return leaf.id
    return leaf.loop if isinstance(leaf, p.Step | p.Carried) else 0
