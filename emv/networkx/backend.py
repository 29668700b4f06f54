"""What networkx loads as the backend: conversion, and a function by each name it can run."""

from __future__ import annotations

from typing import Any

from emv.networkx.calls import can_run
from emv.networkx.functions import FUNCTIONS
from emv.networkx.graphs import BackendGraph, convert_from_nx, convert_to_nx

__all__ = [
    "BackendGraph",
    "can_run",
    "convert_from_nx",
    "convert_to_nx",
    "on_start_tests",
]


def __getattr__(name: str) -> Any:
    """Return the function of networkx' name."""
    if name not in FUNCTIONS:
        raise AttributeError(f"emv has no {name}()")
    return FUNCTIONS[name].call


def __dir__() -> list[str]:
    return sorted([*__all__, *FUNCTIONS])


def on_start_tests(items: list[Any]) -> None:
    """Prepare networkx' own tests; called by networkx."""
    from emv.networkx.testing import start_tests

    start_tests(items)
