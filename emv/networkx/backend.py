"""What networkx loads as the backend: conversion, and a function by each name it can run."""

from __future__ import annotations

import sys
from typing import Any

from emv.networkx.calls import can_run
from emv.networkx.functions import FUNCTIONS
from emv.networkx.graphs import BackendGraph, convert_from_nx, convert_to_nx
from emv.networkx.worth import should_run

__all__ = [
    "BackendGraph",
    "can_run",
    "convert_from_nx",
    "convert_to_nx",
    "on_start_tests",
    "should_run",
]


globals().update({name: served.call for name, served in FUNCTIONS.items()})  # found at once


def on_start_tests(items: list[Any]) -> None:
    """Prepare networkx' own tests; called by networkx."""
    from emv.networkx.testing import start_tests

    start_tests(items, sys.modules[__name__])
