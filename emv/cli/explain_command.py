"""``emv explain``: how a program would run on a graph, and why; nothing is run."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any

from emv.cli.arguments import plan_call
from emv.cli.failures import about
from emv.cli.graph_file import read_graph
from emv.graph import Graph


def execute(options: argparse.Namespace) -> str:
    """Return the explanation, or with ``--kernels`` the generated source."""
    call = plan_call(options.algorithm, options.settings, options.source)
    graph, _ = read_graph(options)
    if call.vertex_parameter is not None and not call.sources and graph.num_vertices:
        first = _first_vertex(graph)
        sys.stderr.write(f"emv: note: no --source given, explained for vertex {first}\n")
        call = replace(call, sources=[first])
    program: Any = call.program
    show = program.source if options.kernels else program.explain
    with about(options.graph):
        text: str = show(graph, **call.named(graph))
    return text.rstrip("\n") + "\n"


def _first_vertex(graph: Graph) -> str:
    return "0" if graph.labels is None else str(graph.labels[0])
