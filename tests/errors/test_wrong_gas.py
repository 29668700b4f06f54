"""Gather, apply, scatter: phases without an operator, of the wrong kind, or missing."""

from __future__ import annotations

from errors.expect import refuses

import emv
from emv import Edge, Message, MessageList, Vertex, f32, gas, i32, program
from emv.errors import LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 1.0


class Note(Message):
    rank: f32
    origin: i32


@gas.scatter
def tell(e: Edge[Page]):
    e.send(e.src.rank)


@gas.apply
def put(v: Page, rank: f32):
    v.rank = rank


@gas.gather(emv.sum)
def keep(v: Page, rank: f32):
    v.rank = rank


def test_no_operator():
    def declare():
        @gas.gather
        def mistaken(v: Page, rank: f32):
            v.rank = rank

    refuses(
        declare,
        LanguageError,
        at="def mistaken(v: Page, rank: f32):",
        under="mistaken",
        function="mistaken",
        says="@gather of mistaken() names no operator",
        remedy="Write @gather(emv.sum), or take the messages one by one",
    )


def test_an_operator_and_a_list():
    def declare():
        @gas.gather(emv.sum)
        def mistaken(v: Page, heard: MessageList[f32]):
            return len(heard)

    refuses(
        declare,
        TypeMismatchError,
        at="def mistaken(v: Page, heard: MessageList[f32]):",
        under="heard: MessageList[f32]",
        function="mistaken",
        says="'heard' of mistaken() needs a number type",
        remedy="Write heard: f32",
    )


def test_nothing_to_take():
    def declare():
        @gas.gather(emv.sum)
        def mistaken(v: Page):
            v.rank = 0.0

    refuses(
        declare,
        TypeMismatchError,
        at="def mistaken(v: Page):",
        under="mistaken",
        function="mistaken",
        says="@gather function mistaken() has no parameter for what was folded",
        remedy="Write: def mistaken(v, received: f32, ...)",
    )


def test_an_operator_that_is_none():
    def mistaken():
        gas.gather(rank=max, origin=emv.min)

    refuses(
        mistaken,
        TypeMismatchError,
        at="gas.gather(rank=max, origin=emv.min)",
        under="gas.gather(rank=max, origin=emv.min)",
        function="mistaken",
        says="@gather takes one operator, or one for each field of a record, which rank is not",
        remedy="Write @gather(emv.min)",
    )


def test_scattering_from_a_message():
    def declare():
        @gas.scatter
        def mistaken(m: Note):
            m.rank = 0.0

    refuses(
        declare,
        TypeMismatchError,
        at="def mistaken(m: Note):",
        under="m: Note",
        function="mistaken",
        says="@vertex function mistaken() must begin with a Vertex record",
        remedy="Write: def mistaken(v: Place, ...)",
    )


def test_around_a_number():
    def mistaken():
        gas.apply(3)

    refuses(
        mistaken,
        LanguageError,
        at="gas.apply(3)",
        under="gas.apply(3)",
        function="mistaken",
        says="@apply decorates a plain def, not 3",
        remedy="above a def",
    )


def test_phases_in_the_wrong_order():
    @program
    def mistaken(g):
        gas.superstep(g, keep, tell)

    refuses(
        mistaken,
        TypeMismatchError,
        at="gas.superstep(g, keep, tell)",
        under="gas.superstep(g, keep, tell)",
        function="mistaken",
        says="gas.superstep: scatter= is no @scatter function, but <@vertex keep",
        remedy="Hand over decorated functions",
    )


def test_nobody_takes_the_fold():
    @program
    def mistaken(g):
        gas.superstep(g, tell, emv.max)

    refuses(
        mistaken,
        TypeMismatchError,
        at="gas.superstep(g, tell, emv.max)",
        under="gas.superstep(g, tell, emv.max)",
        function="mistaken",
        says="gas.superstep: nothing takes what emv.max folds",
        remedy="gas.superstep(g, tell, emv.max, update)",
    )


def test_gathering_returns_nothing_to_apply():
    @program
    def mistaken(g):
        gas.superstep(g, tell, keep, put)

    refuses(
        mistaken,
        TypeMismatchError,
        at="gas.superstep(g, tell, keep, put)",
        under="gas.superstep(g, tell, keep, put)",
        function="mistaken",
        says="keep() returns no value",
        remedy="End keep() with a return statement.",
    )
