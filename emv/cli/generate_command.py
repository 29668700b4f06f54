"""``emv generate``: make a graph by rule and write it to a file."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from emv.cli.graph_file import counted, duration
from emv.cli.progress import Progress
from emv.errors import ArgumentError, did_you_mean, shown_path
from emv.generators import GENERATORS
from emv.graph import Graph
from emv.graph.io import find_writer, write
from emv.graph.io.source import is_address

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def execute(options: argparse.Namespace) -> str:
    """Make the graph, write it, and return a line about it, or with ``--json`` an object."""
    *values, out = options.values
    if options.model not in GENERATORS:
        raise ArgumentError(
            f"there is no model '{options.model}'.{did_you_mean(options.model, GENERATORS)}",
            remedy=f"There are: {', '.join(GENERATORS)}.",
        )
    if out == "-" and options.json:
        raise ArgumentError("--json and the graph would both go to standard output, name a file")
    _check_out(out, options.format)
    arguments, named = planned(options.model, values, options.settings)
    named |= _options(options)
    started = time.perf_counter()
    with Progress(sys.stderr).stage(f"making {options.model}"):
        graph = GENERATORS[options.model](*arguments, **named)
    made = time.perf_counter()
    with Progress(sys.stderr).stage(f"writing {shown_path(out)}"):
        write(graph, out, format=options.format, drop=options.drop)
    return _report(options, out, graph, (made - started, time.perf_counter() - made))


def _report(
    options: argparse.Namespace, out: str, graph: Graph, seconds: tuple[float, float]
) -> str:
    if options.json:
        facts = {
            "graph": out,
            "model": options.model,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "directed": graph.directed,
            "make_seconds": seconds[0],
            "write_seconds": seconds[1],
        }
        return json.dumps(facts) + "\n"
    kind = "directed" if graph.directed else "undirected"
    counts = f"{counted(graph.num_vertices, 'vertex')}, {counted(graph.num_edges, 'edge')}"
    took = f"made in {duration(seconds[0])}, written in {duration(seconds[1])}"
    told = f"{shown_path(out)}: {options.model}, {counts}, {kind}, {took}\n"
    if out == "-":  # where the graph has gone
        sys.stderr.write(told)
        return ""
    return told


def _options(options: argparse.Namespace) -> dict[str, Any]:
    """Return what every model takes, of what is given."""
    named: dict[str, Any] = {"rng": options.seed}
    if options.device is not None:
        named["device"] = options.device
    if options.directed is not None:
        named["directed"] = options.directed
    if options.weights is not None:
        named["weights"] = value_of(options.weights, "weights")
    return named


def planned(
    model: str, values: Iterable[str], settings: Iterable[str]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments for a model, by place and by name.

    Raises
    ------
    ArgumentError
        If there are too many, too few, one twice, or one that the model does not have.

    Examples
    --------
    >>> planned("rmat", ["1000", "8e3"], ["noise=0", "loops=yes"])
    ([1000, 8000], {'noise': 0, 'loops': True})
    """
    parameters = [
        each
        for each in inspect.signature(GENERATORS[model]).parameters.values()
        if each.name not in ("rng", "options")
    ]
    names = [each.name for each in parameters]
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    arguments = [value_of(text, model) for text in values]
    if len(arguments) > len(names) and not takes_any:
        raise ArgumentError(f"{model} takes {', '.join(names)}, but {len(arguments)} values came")
    named = dict(_setting(model, names, text) for text in settings)
    by_place = [] if takes_any else names[: len(arguments)]
    for name in by_place:
        if name in named:
            raise ArgumentError(f"{model} was given {name} by its place and by --set {name}")
    needed = [each.name for each in parameters if each.default is each.empty and not takes_any]
    lacking = [name for name in needed if name not in named and name not in by_place]
    if lacking:
        raise ArgumentError(
            f"{model} needs {' and '.join(lacking)}",
            remedy=f"write emv generate {model} {' '.join(map(str.upper, needed))} OUT",
        )
    return arguments, named


def _setting(model: str, names: list[str], text: str) -> tuple[str, Any]:
    """Return the parameter and the value of one ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"--set {text} has no value, write --set {name}=VALUE")
    if name not in names:
        raise ArgumentError(
            f"{model} has no parameter '{name}'.{did_you_mean(name, names)}",
            remedy=f"There are: {', '.join(names)}.",
        )
    return name, value_of(value, name)


def value_of(text: str, name: str) -> Any:
    """Return a number, a truth value, or several in brackets or between commas.

    Examples
    --------
    >>> value_of("1e6", "n"), value_of("0.5", "p"), value_of("300,500", "sizes")
    (1000000, 0.5, (300, 500))

    Raises
    ------
    ArgumentError
        If it is none of these.
    """
    if text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if isinstance(value, float) and "e" in text.lower() and value.is_integer():
        return int(value)
    if not isinstance(value, bool | int | float | tuple | list):
        raise ArgumentError(f"'{text}' for {name} is no number, nor several between commas")
    return value


def _check_out(out: str, format: str | None) -> None:
    """Refuse a file that cannot be written, before anything is made."""
    path = Path(out)
    find_writer(path, format)
    if out == "-" or is_address(out):
        return
    if not path.parent.is_dir():
        raise ArgumentError(f"there is no folder {path.parent}, create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"{out} may not be written, choose another file")
