"""A parameter without a number type."""

from __future__ import annotations

from errors.expect import refuses

from emv import Vertex, f32, vertex
from emv.errors import LanguageError, TypeMismatchError


class Page(Vertex):
    rank: f32 = 0.0


def without_annotation():
    @vertex
    def update(v: Page, received):
        v.rank = received


def with_text():
    @vertex
    def update(v: Page, name: str):
        v.rank = 1.0


def with_unknown_name():
    @vertex
    def update(v: Pgae):
        v.rank = 1.0


def test_missing_annotation():
    refuses(
        without_annotation,
        TypeMismatchError,
        at="def update(v: Page, received):",
        under="received",
        function="update",
        says="parameter 'received' of update() needs a number type, but has no annotation",
        remedy="Write received: f32",
    )


def test_annotation_that_is_no_number():
    refuses(
        with_text,
        TypeMismatchError,
        at="def update(v: Page, name: str):",
        under="name: str",
        function="update",
        says="parameter 'name' of update() needs a number type, not str",
        remedy="Write name: f32",
    )


def test_annotation_that_is_not_defined():
    refuses(
        with_unknown_name,
        LanguageError,
        at="def update(v: Pgae):",
        under="update",
        function="update",
        says="the annotation 'Pgae' of update() is not defined",
        remedy="Did you mean 'Page'?",
    )
