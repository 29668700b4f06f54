"""Versions of what is installed, found without reading what each package says of itself."""

from __future__ import annotations

from importlib import metadata

from emv.imports import version_of


def test_versions_are_those_that_packages_say():
    said = {each.metadata["Name"]: each.version for each in metadata.distributions()}
    assert len(said) > 10
    assert {name: version_of(name) for name in said} == said


def test_the_first_of_some_that_is_there():
    assert version_of("no-such-thing", "numpy") == metadata.version("numpy")
    assert version_of("no-such-thing") is None
