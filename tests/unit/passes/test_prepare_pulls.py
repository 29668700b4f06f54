"""Which pulls in a loop keep the arcs that pass a test, and which must ask again every time."""

from __future__ import annotations

import pytest
from scheduled import asked_launches, compiled

import emv
from emv import Edge, Message, Vertex, edge, f64, i32, program, vertex
from emv.ir import schedule as s


class Spot(Vertex):
    rank: i32 = 0
    value: i32 = 0
    done: i32 = 0


class Road(Edge[Spot]):
    length: f64 = 1.0


@edge
def by_rank(e: Road):
    if e.src.rank > e.dst.rank and e.src.value >= 0:
        e.send(e.src.value)


@edge
def falling(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(e.src.value)


@edge
def falling_or_more(e: Road):
    if e.src.id < e.dst.id:
        more = e.src.value - e.dst.value
        if more > 0:
            e.send(more)
        elif e.dst.value > 3:
            e.send(-more)


@edge
def along_long(e: Road):
    if e.length > 1.0:
        e.send(e.src.value + e.dst.value)


def goes_first(rank: int, other_rank: int) -> bool:
    return rank > other_rank


@edge
def by_helper(e: Road):
    if goes_first(e.src.rank, e.dst.rank):
        e.send(e.src.value)


@vertex
def of_high_rank(v: Spot):
    if v.rank > 3:
        v.send(v.value)


@edge
def from_valued(e: Road):
    if e.src.value > e.dst.rank:
        e.send(e.src.value)


@edge
def always(e: Road):
    e.send(e.src.value + e.dst.rank)


@edge
def or_else(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(e.src.value)
    else:
        e.send(e.dst.value)


@edge
def made_before(e: Road):
    more = e.src.rank + 1
    if more > e.dst.rank:
        e.send(e.src.value)


@edge
def twice(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(e.src.value)
    if e.src.rank < e.dst.rank:
        e.send(e.dst.value)


@edge
def of_length(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(int(e.length))


@edge
def of_edge(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(e.id)


@edge
def by_draw(e: Road):
    if emv.random() < 0.5:
        e.send(e.src.value)


@edge
def with_draw(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(emv.randint(9))


@edge
def by_another(e: Road):
    if e.src.rank > Spot.at(0).rank:
        e.send(e.dst.value)


@vertex
def take(v: Spot, heard: int):
    v.value = heard


@vertex
def lower(v: Spot):
    v.rank -= 1


@vertex
def reopen(v: Spot):
    v.done = 0


@edge
def lengthen(e: Road):
    e.length += 1.0


@vertex
def count(v: Spot, heard: int):
    v.done += heard


def told(sender, receiver=take):
    """Return a program in which a loop does nothing but tell."""

    @program
    def tell(g):
        for _ in g.supersteps(3):
            receiver(g, emv.sum(sender(g)))

    return tell


def kept_by(made, *args, target="cpu"):
    """Return the names of the functions whose arcs are kept."""
    body = compiled(made, *args, target=target).schedule.body
    return [each.send.name for each in s.launches_in(body) if each.kept]


over_targets = pytest.mark.parametrize("target", ["cpu", "cuda"])
by_name = {"ids": lambda function: function.name}


@over_targets
@pytest.mark.parametrize(
    "sender", [falling, falling_or_more, along_long, by_helper, of_high_rank], **by_name
)
def test_arcs_that_pass_a_test_that_stays_are_kept(sender, target):
    body = compiled(told(sender), target=target).schedule.body
    assert [type(each) for each in body] == [s.PreparePull, s.LoopStep]
    (launch,) = s.launches_in(body)
    assert launch.kept
    assert body[0].launch == launch
    assert any("kept" in each for each in launch.reasons)
    (buffer,) = (b for b in compiled(told(sender), target=target).source.buffers if "kept" in b)
    assert buffer == f"kept{launch.number}"


@over_targets
@pytest.mark.parametrize(
    "sender",
    [always, or_else, made_before, twice, of_length, of_edge, by_draw, with_draw, by_another],
    **by_name,
)
def test_other_texts_are_walked_whole(sender, target):
    made = told(sender)
    assert kept_by(made, target=target) == []
    body = compiled(made, target=target).schedule.body
    assert [type(each) for each in body] == [s.LoopStep]
    (launch,) = s.launches_in(body)
    assert launch.direction == "pull"  # else nothing was shown


@over_targets
@pytest.mark.parametrize("sender", [from_valued, by_rank], **by_name)
def test_tests_that_the_receiver_writes_are_asked_again(sender, target):
    assert kept_by(told(sender), target=target) == []
    assert kept_by(told(sender, count), target=target) == [sender.name]


@program
def with_other(g):
    for _ in g.supersteps(3):
        take(g, emv.sum(falling(g)))
        lower(g)


@program
def with_other_before(g):
    lower(g)
    for _ in g.supersteps(3):
        take(g, emv.sum(falling(g)))


@program
def with_edges(g):
    for _ in g.supersteps(3):
        take(g, emv.sum(along_long(g)))
        lengthen(g.edges)


@program
def with_fill(g):
    for step in g.supersteps(3):
        take(g, emv.sum(falling(g)))
        g.vertices.rank[:] = step


@program
def with_inner_loop(g):
    for _ in g.supersteps(3):
        take(g, emv.sum(falling(g)))
        for _ in g.supersteps(2):
            lower(g)


@pytest.mark.parametrize(
    "made", [with_other, with_edges, with_fill, with_inner_loop], ids=lambda made: made.name
)
def test_tests_that_another_step_of_the_loop_writes_are_asked_again(made):
    assert kept_by(made) == []


def test_what_is_written_before_the_loop_stays():
    assert kept_by(with_other_before) == ["falling"]


@edge
def above(e: Road, least: int):
    if e.src.rank > least:
        e.send(e.src.value - e.dst.value)


@edge
def with_share(e: Road, share: int):
    if e.src.rank > e.dst.rank:
        e.send(share)


@vertex
def own_rank(v: Spot) -> int:
    return v.rank


def test_parameters_may_be_sent_but_not_asked():
    @program
    def with_number(g, least):
        for _ in g.supersteps(3):
            take(g, emv.sum(above(g, least)))

    @program
    def with_step(g):
        for step in g.supersteps(3):
            take(g, emv.sum(with_share(g, step)))

    @program
    def with_values(g):
        for _ in g.supersteps(3):
            take(g, emv.sum(with_share(g, own_rank(g))))

    assert kept_by(with_number, 3) == []
    assert kept_by(with_values) == []
    assert kept_by(with_step) == ["with_share"]


mixture = emv.combiner(lambda a, b: a ^ b, 0)


def test_folds_of_neighbouring_slots_are_not_of_kept_arcs():
    @program
    def in_order(g):
        for _ in g.supersteps(3):
            take(g, mixture(falling(g)))

    assert kept_by(in_order) == []


class News(Message):
    cost: f64
    length: f64


@edge
def news_of_falling(e: Road):
    if e.src.rank > e.dst.rank:
        e.send(News(e.src.value, e.dst.value))


@vertex
def take_news(v: Spot, news: News):
    v.value = int(news.cost)


@over_targets
def test_pulls_of_some_vertices_look_at_all_arcs(target):
    @program
    def of_active(g):
        for _ in g.supersteps(3):
            take_news(g, emv.min(news_of_falling(g.active)))

    (launch,) = s.launches_in(compiled(of_active, target=target).schedule.body)
    assert (launch.direction, launch.kept) == ("pull", False)


def test_only_pulls_of_all_vertices_in_a_loop_are_prepared():
    @program
    def once(g):
        take(g, emv.sum(falling(g)))

    @program
    def of_active(g):
        for _ in g.supersteps(3):
            take(g, emv.sum(falling(g.active)))

    @program
    def of_one(g):
        for _ in g.supersteps(3):
            take(g, emv.sum(falling(g.only(0))))

    for made in (once, of_active, of_one):
        assert kept_by(made) == [], made.name
    for word in (emv.buffer("accumulators"), emv.buffer("slots"), emv.layout("caa")):
        (launch,) = asked_launches(told(falling), word)
        assert not launch.kept, word


def test_a_loop_in_a_loop_is_prepared_whenever_it_begins():
    @program
    def nested(g):
        for _ in g.supersteps(2):
            lower(g)
            for _ in g.supersteps(3):
                take(g, emv.sum(falling(g)))

    body = compiled(nested).schedule.body
    assert [type(each) for each in body] == [s.LoopStep]
    assert [type(each) for each in body[0].body] == [s.Launch, s.PreparePull, s.LoopStep]


@vertex
def take_below(v: Spot, heard: int, limit: int):
    if v.done == 0:
        v.done = min(heard, limit)


@over_targets
def test_copies_of_a_batch_ask_again(target):
    @program
    def tell(g, limit):
        for _ in g.supersteps(3):
            take_below(g, emv.sum(falling(g)), limit)
        return g.vertices.done

    (launch,) = s.launches_in(compiled(tell, 1, target=target).schedule.body)
    assert launch.kept
    schedule = compiled(tell, emv.batch([1, 2, 3]), target=target).schedule
    (launch,) = s.launches_in(schedule.body)
    assert schedule.copies.size == 4
    assert [type(each) for each in schedule.body] == [s.LoopStep]
    assert (launch.kept, launch.settles) == (False, False)
    assert not any("kept" in each or "left out" in each for each in launch.reasons)
