"""``emv profile``: where the time of a run went, per launch and per superstep."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from emv.cli.arguments import plan_call, require_arguments
from emv.cli.failures import about
from emv.cli.graph_file import check_device, graph_line, read_graph
from emv.errors import ArgumentError, shown_path
from emv.runtime.program import ProgramFunction
from emv.shown.plot import figure_class


def execute(options: argparse.Namespace) -> str:
    """Return the tables, or with ``--json`` an object; save the picture if one is asked for."""
    call = plan_call(options.algorithm, options.settings, options.source)
    require_arguments(call)
    check_device(options.device)
    program = call.program
    assert isinstance(program, ProgramFunction)  # plan_call takes no others by default
    if options.plot is not None:
        check_plot(options.plot)
    graph, read_seconds = read_graph(options)
    with about(options.graph):
        profile = program.profile(
            graph, backend=options.device, rng=options.seed, **call.named(graph)
        )
    if options.plot is not None:
        profile.plot(options.plot)
    if options.json:
        fields = {"file": options.graph, **profile.to_dict()}
        if options.plot is not None:
            fields["plot"] = options.plot
        return json.dumps(fields, allow_nan=False) + "\n"
    saved = "" if options.plot is None else f"\nsaved to {shown_path(options.plot)}\n"
    return f"{graph_line(options.graph, graph, read_seconds)}{profile}\n{saved}"


def check_plot(plot: str) -> None:
    """Refuse a picture that cannot be drawn or saved, before anything is read or run.

    Raises
    ------
    ArgumentError
        If there is no such folder, or it may not be written.
    BackendUnavailableError
        If matplotlib is not installed.
    """
    figure_class()
    path = Path(plot)
    if path.is_dir():
        raise ArgumentError(f"--plot {plot} is a folder, name a file")
    if not path.parent.is_dir():
        raise ArgumentError(f"--plot {plot}: there is no folder {path.parent}, create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"--plot {plot} may not be written, choose another file")
