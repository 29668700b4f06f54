"""``emv view``: a picture of a graph file, as a page for a browser or as an image."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import Any

from emv.cli.arguments import plan_call, require_arguments, vertex_of
from emv.cli.failures import about
from emv.cli.functions import RUNNABLE
from emv.cli.graph_file import check_device, duration, graph_line, read_graph
from emv.cli.progress import Progress
from emv.cli.results import meaning_of
from emv.errors import ArgumentError, shown_path
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.imports import required
from emv.viz import View

IMAGES = (".png", ".svg", ".pdf")


def execute(options: argparse.Namespace) -> str:
    """Read, lay out and save or show the picture; return lines about it.

    Raises
    ------
    ArgumentError
        If the file cannot be written, which is found out before anything is read, or what is to be
        shown is not there.
    """
    _check(options)
    graph, read_seconds = read_graph(options)
    started = time.perf_counter()
    with about(options.graph):
        view = _view(graph, options)
    seconds = time.perf_counter() - started
    path = _save(view, options)
    seen = view.picture
    if options.json:
        facts = {
            "graph": options.graph,
            "out": str(path),
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "shown_vertices": seen.graph.num_vertices,
            "shown_edges": seen.graph.num_edges,
            "read_seconds": read_seconds,
            "layout_seconds": seconds,
        }
        return json.dumps(facts) + "\n"
    lines = f"laid out in {duration(seconds)}\nsaved to {shown_path(str(path))}\n"
    return graph_line(options.graph, graph, read_seconds) + lines


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be written or does not go together."""
    check_device(options.device)
    if options.hops is not None and options.around is None:
        raise ArgumentError("--hops wants --around V, name a vertex")
    is_image = options.out is not None and Path(options.out).suffix.lower() in IMAGES
    if options.names is not None and not is_image:
        raise ArgumentError("--names is for images, name --out FILE.png, .svg or .pdf")
    if is_image:
        required("matplotlib.figure")
        if options.title is not None:
            raise ArgumentError("--title is for pages, leave it out or name --out FILE.html")
    if options.out is None:
        return
    path = Path(options.out)
    if path.suffix.lower() not in (".html", *IMAGES):
        there = ", ".join(f"FILE{each}" for each in (".html", *IMAGES))
        raise ArgumentError(f"--out {options.out} is none of {there}, choose one of them")
    if not path.parent.is_dir():
        raise ArgumentError(
            f"--out {options.out}: there is no folder {path.parent}, create it first"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"--out {options.out} may not be written, choose another file")


def _view(graph: Graph, options: argparse.Namespace) -> View:
    """Return the picture."""
    names = [each for each in (options.values or "").split(",") if each]
    names += [each for each in (options.color, options.size) if each is not None]
    values = {name: _values(graph, name, options) for name in dict.fromkeys(names)}
    layout: dict[str, Any] = {"method": options.method, "weight": options.weight}
    if options.rounds is not None:
        layout["iterations"] = options.rounds
    with Progress(sys.stderr).stage("laying out"):
        view = View(
            graph,
            color=options.color,
            size=options.size,
            values=values,
            rng=options.seed,
            backend=options.device,
            **layout,
        )
        if options.around is not None:
            center = vertex_of(graph, options.around, "--around")
            view.drill_down(center, 2 if options.hops is None else options.hops)
    return view


def _values(graph: Graph, name: str, options: argparse.Namespace) -> Any:
    """Return a column of vertices, or what an algorithm gives for each vertex."""
    if name in graph.vertices:
        return graph.vertices[name]
    call = plan_call(name, [], [], RUNNABLE)
    require_arguments(call)
    run = call.program.run(graph, backend=options.device, rng=options.seed, **call.named(graph))
    meaning = meaning_of(call, graph, run.result)
    result = tuple(run.result.values()) if isinstance(run.result, dict) else run.result
    return on_host(meaning.part_of(result))


def _save(view: View, options: argparse.Namespace) -> Path:
    """Write the picture; without a file's name, a page that a browser is asked to show."""
    if options.out is not None:
        path = Path(options.out)
    else:
        path = Path(tempfile.mkdtemp(prefix="emv-view-")) / "graph.html"
    if path.suffix.lower() in IMAGES:
        view.draw(path, names=options.names or 0)
        return path
    view.html(path, title=options.title or Path(options.graph).name)
    if options.out is None:
        webbrowser.open(path.as_uri())
    return path
