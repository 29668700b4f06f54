"""What is fused into what, and what is kept for others."""

from __future__ import annotations

import pytest
from scheduled import compiled, launches, steps

import emv
from emv import Edge, MessageList, Vertex, edge, f32, f64, mlist, program, vertex
from emv.errors import LanguageError
from emv.ir import schedule as s


class Spot(Vertex):
    value: f64 = 0.0
    other: f64 = 0.0


@edge
def tell(e: Edge[Spot]):
    e.send(e.src.value)


@vertex
def take(v: Spot, heard: f64):
    v.value = heard


@vertex
def take_two(v: Spot, low: f64, high: f64):
    v.value = low + high


@vertex
def take_scalar(v: Spot, heard: f64, scale: f64):
    v.value = heard * scale


@vertex
def mark(v: Spot):
    v.other = 1.0


@vertex
def value_of(v: Spot) -> f64:
    return v.value


@mlist
def first(v: Spot, heard: MessageList[f64]):
    for m in heard:
        v.other = m


@program
def send_fold_receive(g):
    heard = tell(g)
    take(heard.receivers, emv.min(heard))


@pytest.mark.paper("S1")
def test_send_fold_and_receiver_are_one_launch():
    (launch,) = launches(send_fold_receive)
    assert launch.name == "tell_min_take"
    assert launch.receive.function is take
    assert not launch.receive.everyone
    assert [op.name for op in launch.folds[0].ops] == ["min"]


@program
def to_everyone(g):
    take(g, emv.sum(tell(g)))


def test_receiver_over_all_vertices_is_fused_and_told_so():
    (launch,) = launches(to_everyone)
    assert launch.receive.everyone


@program
def two_folds(g):
    heard = tell(g)
    take_two(heard.receivers, emv.min(heard), emv.max(heard))


def test_several_folds_are_made_in_one_walk():
    (launch,) = launches(two_folds)
    assert [fold.ops[0].name for fold in launch.folds] == ["min", "max"]
    assert launch.receive.function is take_two


@program
def no_fold(g):
    mark(tell(g).receivers)


def test_receiver_without_a_fold_is_fused():
    (launch,) = launches(no_fold)
    assert launch.receive.function is mark
    assert launch.folds == ()


@program
def receivers_twice(g):
    heard = tell(g)
    take(heard.receivers, emv.min(heard))
    mark(heard.receivers)


def test_receivers_used_twice_are_kept():
    sender, *others = launches(receivers_twice)
    assert sender.receive is None
    assert sender.receivers
    assert [launch.send for launch in others] == [take, mark]
    assert all(launch.domain.kind == "receivers" for launch in others)


@edge
def tell_any(e: Edge[Spot]):
    e.send_to(e.src.id, e.dst.value)


@program
def listed_twice(g):
    heard = tell_any(g.edges)
    take(heard.receivers, emv.min(heard))
    mark(heard.receivers)


def test_receiver_of_what_goes_to_any_vertex_is_fused_and_the_receivers_kept():
    sender, other = launches(listed_twice)
    assert sender.receive.function is take
    assert sender.receivers
    assert sender.guard is None
    assert (other.send, other.domain.kind) == (mark, "receivers")


@program
def fold_twice(g):
    heard = tell(g)
    low = emv.min(heard)
    take(heard.receivers, low)
    take(g, low)


def test_fold_used_twice_is_kept():
    sender, *others = launches(fold_twice)
    assert sender.receive is None
    assert [launch.send for launch in others] == [take, take]


@program
def fold_returned(g):
    heard = tell(g)
    low = emv.min(heard)
    take(g, low)
    return low


def test_fold_that_the_program_returns_is_kept():
    sender, receiver = launches(fold_returned)
    assert sender.receive is None
    assert receiver.send is take


@program
def something_between(g):
    heard = tell(g)
    mark(g)
    take(heard.receivers, emv.min(heard))


def test_call_between_send_and_receiver_keeps_them_apart():
    assert [launch.send for launch in launches(something_between)] == [tell, mark, take]


@vertex
def look_far(v: Spot, heard: f64):
    v.value = heard + Spot.at(0).value


@vertex
def pass_on(v: Spot, heard: f64):
    v.send(heard)


@program
def far_receiver(g):
    heard = tell(g)
    look_far(heard.receivers, emv.min(heard))


@program
def sending_receiver(g):
    heard = tell(g)
    mark(pass_on(heard.receivers, emv.min(heard)).receivers)


@pytest.mark.parametrize("made", [far_receiver, sending_receiver], ids=lambda made: made.name)
def test_receiver_that_reads_others_or_sends_is_not_fused(made):
    assert launches(made)[0].receive is None


@program
def list_and_fold(g):
    heard = tell(g)
    first(heard.receivers, heard)
    take(heard.receivers, emv.min(heard))


def test_messages_wanted_one_by_one_are_stored():
    sender, *others = launches(list_and_fold)
    assert sender.store
    assert sender.direction == "store"
    assert [launch.send for launch in others] == [first, take]
    assert others[0].heard == sender.number


@program
def total_of_values(g):
    return emv.total(value_of(g)), emv.largest(value_of(g))


def test_aggregate_is_folded_where_the_values_are_made():
    assert steps(total_of_values) == ["Launch", "Launch"]
    one, two = launches(total_of_values)
    assert [op for op, _ in one.aggregates] == ["total"]
    assert [op for op, _ in two.aggregates] == ["largest"]
    assert one.returned is None


@program
def values_kept(g):
    values = value_of(g)
    take(g, values)
    return emv.total(values)


def test_values_that_others_take_are_kept_as_well():
    sender, receiver = launches(values_kept)
    assert [op for op, _ in sender.aggregates] == ["total"]
    assert sender.returned is not None
    assert receiver.args[0].source == sender.returned


@program
def aggregate_of_fold(g):
    return emv.total(emv.sum(tell(g)))


def test_aggregate_of_a_fold_is_a_step_of_its_own():
    assert steps(aggregate_of_fold) == ["Launch", "AggregateValues"]


@program
def receiver_takes_late_aggregate(g):
    kept = emv.sum(tell(g))
    heard = tell(g)
    total = emv.total(kept)
    take_scalar(g, emv.sum(heard), total)


def test_receiver_waits_for_an_aggregate_computed_after_the_send():
    names = steps(receiver_takes_late_aggregate)
    assert names.index("AggregateValues") < len(names) - 1
    assert [launch.send for launch in launches(receiver_takes_late_aggregate)] == [
        tell,
        tell,
        take_scalar,
    ]


@program
def receiver_takes_early_aggregate(g):
    total = emv.total(value_of(g))
    heard = tell(g)
    take_scalar(g, emv.sum(heard), total)


def test_aggregate_computed_before_the_send_does_not_keep_them_apart():
    assert launches(receiver_takes_early_aggregate)[1].receive.function is take_scalar


@program
def late_initial(g):
    heard = tell(g)
    total = emv.total(value_of(g))
    take(g, emv.max(heard, initial=total))


def test_initial_computed_after_the_send_is_refused():
    with pytest.raises(LanguageError, match="is computed after tell"):
        compiled(late_initial)


@program
def early_initial(g):
    total = emv.total(value_of(g))
    take(g, emv.max(tell(g), initial=total))


def test_initial_computed_before_the_send_is_a_slot():
    _, launch = launches(early_initial)
    assert launch.folds[0].initial[0].type == "f64"


class Road(Edge[Spot]):
    weight: f32


@edge
def read_weight(e: Road):
    e.send(e.weight)


@program
def fold_a_column(g):
    read_weight(g)
    take(g, emv.sum(g.edges.weight, by="src"))


def test_edge_column_is_folded_without_messages():
    assert "FoldColumn" in steps(fold_a_column)


def test_scalars_are_set_before_the_launch_that_reads_them():
    body = compiled(receiver_takes_early_aggregate).schedule.body
    kinds = [type(step) for step in body]
    assert kinds == [s.Launch, s.SetScalar, s.Launch]


@edge
def tell_id(e: Edge[Spot]):
    e.send(e.src.id)


@program
def ids(g):
    take(g, emv.min(tell_id(g)))


@pytest.mark.parametrize(("wide", "kind"), [(False, "i32"), (True, "i64")])
def test_ids_travel_in_the_width_of_the_graph(wide, kind):
    (launch,) = s.launches_in(compiled(ids, wide=wide).schedule.body)
    assert launch.folds[0].message == kind
