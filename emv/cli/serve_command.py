"""``emv serve``: graphs of files and programs by name, for whoever asks over HTTP."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import emv
from emv.algorithms import ALGORITHMS
from emv.cli.graph_file import check_device, counted
from emv.cli.own_program import programs_of
from emv.config import config
from emv.errors import ArgumentError, did_you_mean, shown_path
from emv.graph import Graph
from emv.imports import required
from emv.runtime.program import ProgramFunction
from emv.service import Limits, Service

LOCAL = ("127.0.0.1", "::1", "localhost")


def execute(options: argparse.Namespace) -> str:
    """Serve until the process is told to end; return what is printed then."""
    server = required("uvicorn")
    required("fastapi")
    from emv.service.web import Offer, application

    tokens = tokens_of(options.tokens) if options.tokens else {}
    if not tokens and options.host not in LOCAL:
        raise ArgumentError(
            f"--host {options.host} lets other machines in, and nobody is asked for a token",
            remedy="Give --tokens FILE, with a line 'USER TOKEN' for each user.",
        )
    check_device(options.device)
    programs = programs_named(options.programs, options.module)
    graphs = graphs_of(options.graphs, options.undirected)
    limits = {"": Limits(running=options.running, waiting=options.waiting)}
    device = options.device or config.backend
    settings = {"workers": options.workers, "memory": options.memory, "limits": limits}
    with Service(device, **settings) as service:
        placed = {name: graph.on(service.device) for name, graph in graphs.items()}
        offer = Offer(service, placed, programs, tokens, options.max_body, options.max_seconds)
        sys.stderr.write(
            f"emv: {counted(len(graphs), 'graph')} and {counted(len(programs), 'program')} on "
            f"{service.device}; http://{options.host}:{options.port}/docs says how to ask\n"
        )
        server.run(application(offer), host=options.host, port=options.port, log_level="warning")
        service.shutdown(cancel=True)
    return ""


def graphs_of(given: list[str], undirected: bool) -> dict[str, Graph]:
    """Return the graphs of ``NAME=FILE``, by name.

    Raises
    ------
    ArgumentError
        If one is not so written, or a name comes twice.
    """
    found: dict[str, Graph] = {}
    for each in given:
        name, _, file = each.partition("=")
        if not file or not name.isidentifier():
            raise ArgumentError(f"--graph {each} is no NAME=FILE, such as road=roads.gr.gz")
        if name in found:
            raise ArgumentError(f"--graph {name} comes twice")
        found[name] = emv.read(file, directed=False if undirected else None)
    return found


def programs_named(names: str | None, files: list[str]) -> dict[str, ProgramFunction]:
    """Return the programs that may be asked for: those of the library, and of users' own files.

    Parameters
    ----------
    names : str, optional
        Those of them that are meant, ``"bfs,pagerank"``; by default all.

    Raises
    ------
    ArgumentError
        If there is none of a name.
    """
    there = {name: each for name, each in ALGORITHMS.items() if not each.host_loop}
    for file in files:
        if not Path(file).is_file():
            raise ArgumentError(f"there is no file {file}")
        there |= programs_of(Path(file))
    if names is None:
        return there
    wanted = names.split(",")
    for name in wanted:
        if name not in there:
            raise ArgumentError(f"there is no program {name!r}.{did_you_mean(name, list(there))}")
    return {name: there[name] for name in wanted}


def tokens_of(file: str) -> dict[str, str]:
    """Return whose each token of a file is, from lines ``USER TOKEN``; ``#`` begins a remark.

    Raises
    ------
    ArgumentError
        If a line is another, a token is shorter than 16 characters, or there is none.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or len(words[1]) < 16 or words[1] in found:
            raise ArgumentError(
                f"{shown_path(file)}:{number}: not a user and a token of their own",
                remedy="Write 'USER TOKEN', and draw it: "
                "python -c 'import secrets; print(secrets.token_urlsafe())'",
            )
        found[words[1]] = words[0]
    if not found:
        raise ArgumentError(f"{shown_path(file)} has no token")
    return found
