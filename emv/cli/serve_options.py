"""The options of ``emv serve``: what is served, to whom, and how much a request may take."""

from __future__ import annotations

import argparse
from typing import Any


def add_serving(commands: Any) -> Any:
    """Add the command and its options, and return it."""
    command = commands.add_parser(
        "serve",
        help="answer requests over HTTP: programs by name on graphs of files",
        description="Answer requests over HTTP: programs by name on graphs of files, in JSON or\n"
        "Arrow, with a queue in fair shares. It needs the extra serve.",
        epilog="Example: emv serve --graph road=roads.gr.gz --programs bfs,sssp --port 8000",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = command.add_argument
    add(
        "--graph",
        action="append",
        required=True,
        dest="graphs",
        metavar="NAME=FILE",
        help="a graph and its name in requests; may be repeated",
    )
    add("--undirected", action="store_true", help="let every edge of the files lead both ways")
    add("--programs", metavar="A,B,...", help="those that may be asked for; default: all there are")
    add(
        "--module",
        action="append",
        default=[],
        metavar="FILE.py",
        help="also the programs of this file; may be repeated",
    )
    add("--tokens", metavar="FILE", help="lines 'USER TOKEN'; only who sends one is answered")
    add("--host", default="127.0.0.1", help="address; others than this machine's need --tokens")
    add("--port", type=int, default=8000)
    add("--workers", type=int, default=1, metavar="N", help="jobs that run at the same time")
    add("--memory", type=int, metavar="BYTES", help="of all jobs; default: most of what is free")
    add("--running", type=int, metavar="N", help="jobs of one user that run at the same time")
    add("--waiting", type=int, default=100, metavar="N", help="jobs of one user that may wait")
    add("--max-body", type=int, default=1 << 20, metavar="BYTES", help="of a request")
    add("--max-seconds", type=float, default=60.0, metavar="S", help="of a job, with its waiting")
    return command
