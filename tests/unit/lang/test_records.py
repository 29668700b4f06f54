"""Records: fields from annotations, inheritance, ends of edges, messages."""

from __future__ import annotations

import numpy as np
import pytest

from emv import DisjointSet, Edge, EdgeList, Message, MessageList, Vertex, f32, f64, i32, i64, inf
from emv.errors import FieldError, TypeMismatchError
from emv.lang.narrowing import bare
from emv.lang.records import REQUIRED


class Base(Vertex):
    rank: f32 = 0.5
    flag: bool = False


class Derived(Base):
    rank: f64 = inf
    group: DisjointSet
    plain: int
    ratio: float = 2

    def helper(self):
        return self


class Road(Edge[Derived]):
    length: f32


def test_fields_keep_their_order_and_the_nearest_declaration_wins():
    assert list(Base.fields) == ["rank", "flag"]
    assert list(Derived.fields) == ["rank", "flag", "group", "plain", "ratio"]
    dtypes = [field.dtype for field in Derived.fields.values()]
    assert dtypes == [f64, np.bool_, i64, i64, f64]
    assert Derived.rank.default == inf
    assert Base.rank.default == 0.5
    assert Derived.flag is Base.flag
    assert Derived.plain.default is REQUIRED
    assert Derived.group.disjoint


def test_an_edge_knows_its_ends():
    assert (Road.kind, Road.vertex, Road.length.kind) == ("edge", Derived, "edge")
    assert Edge[Base] is Edge[Base]
    assert Edge[Base] is not Edge[Derived]
    assert Edge[Base].vertex is Base
    assert Edge[Base].fields == {}


def test_a_field_says_where_it_is_declared():
    loc = Derived.ratio.loc
    assert loc.text.strip() == "ratio: float = 2"
    assert loc.text[loc.column : loc.end_column] == "ratio"
    assert Derived.flag.loc.text.strip() == "flag: bool = False"
    assert "rank (f64), flag (bool), group (DisjointSet)" in Derived.describe()
    assert Derived.describe().endswith(f"at {__file__}:{Derived.loc.line}.")
    assert isinstance(Derived.missing("ranks", None), FieldError)


class Sorted(Vertex):
    kind: i32 = 3
    fields: i32
    loc: f32 = 1.0
    describe: i32
    missing: i32
    mro: i32
    name: i32


def test_what_a_record_has_is_not_reached_by_a_field_of_that_name():
    assert Sorted.kind == "vertex"
    assert list(Sorted.fields) == ["kind", "fields", "loc", "describe", "missing", "mro", "name"]
    assert Sorted.fields["kind"].default == 3
    assert Sorted.fields["kind"].kind == "vertex"
    assert Sorted.name is Sorted.fields["name"]
    assert Sorted.describe().startswith("Sorted declares: kind (i32), fields (i32), loc (f32)")
    assert Sorted.describe().endswith(f"at {__file__}:{Sorted.loc.line}.")
    assert "Did you mean 'loc'" in str(Sorted.missing("lock", None))
    assert Edge[Sorted].vertex is Sorted


def test_a_message_of_fields_called_like_its_methods():
    class Odd(Message):
        as_tuple: i32
        plain: f32

    assert bare(Odd(3, plain=1.5)) == (3, 1.5)
    assert bare(7) == 7
    assert repr(Odd(3, 1.5)) == "Odd(as_tuple=3, plain=1.5)"
    assert not Odd.plain


class Offer(Message):
    cost: f32
    origin: i32


def test_messages_are_made_by_position_or_name():
    offer = Offer(2.5, origin=7)
    assert offer.as_tuple() == (2.5, 7)
    assert repr(offer) == "Offer(cost=2.5, origin=7)"
    for wrong in (lambda: Offer(1.0), lambda: Offer(1.0, 2, 3), lambda: Offer(1.0, orign=2)):
        with pytest.raises(FieldError, match="Offer takes cost, origin"):
            wrong()


def test_a_plain_message_has_one_value():
    assert Message[f32].plain
    assert list(Message[f32].fields) == ["value"]
    assert not Offer.plain
    with pytest.raises(TypeMismatchError, match=r"Message\[str\] needs a number type"):
        Message[str]


def test_lists_say_what_is_in_them():
    assert (EdgeList[Road].kind, EdgeList[Road].item) == ("edges", Road)
    assert (MessageList[i32].kind, MessageList[i32].item) == ("messages", i32)
    assert str(EdgeList[Road]) == "EdgeList[Road]"


@pytest.mark.parametrize("default", [True, 1.5, inf, 2**31, -(2**31) - 1])
def test_defaults_must_fit_an_integer_field(default):
    annotations = {"x": i32}
    if default is True:
        assert type(Vertex)("Spot", (Vertex,), {"__annotations__": annotations, "x": True})
        return
    with pytest.raises(TypeMismatchError, match="does not fit i32"):
        type(Vertex)("Spot", (Vertex,), {"__annotations__": annotations, "x": default})
