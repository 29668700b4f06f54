"""Options that several commands have: the graph, columns of a table, a program's arguments."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from emv.cli.functions import PROGRAMS
from emv.cli.texts import device, seed
from emv.graph.io import FORMATS

ANSWERS = {"auto": None, "yes": True, "no": False}


def add_algorithm(command: argparse.ArgumentParser, names: Iterable[str] = PROGRAMS) -> None:
    """Add the option."""
    own = "or FILE.py:PROGRAM, one of your own"
    text = f"{', '.join(names)}; {own}"
    command.add_argument("algorithm", metavar="ALGORITHM", help=text)


def add_graph(command: argparse.ArgumentParser, or_name: bool = False) -> None:
    """Add the options."""
    text = "a file of one of the formats below --format, - for standard input, or an address"
    command.add_argument(
        "graph",
        metavar="GRAPH",
        nargs="?" if or_name else None,
        help=f"{text}, or a name of emv.datasets" if or_name else text,
    )
    command.add_argument("--undirected", action="store_true", help="let every edge lead both ways")
    command.add_argument(
        "--format", choices=[each.name for each in FORMATS], help="default: found from the file"
    )
    command.add_argument(
        "--header",
        choices=tuple(ANSWERS),
        default="auto",
        help="whether the first line of an edge list is none of its edges",
    )
    add_columns(command)
    command.add_argument(
        "--vertices", metavar="FILE", help="of a table: a second one, of the vertices"
    )
    command.add_argument(
        "--verify",
        choices=tuple(ANSWERS),
        default="auto",
        help="whether a folder of emv's is checked; default: if others may have touched it",
    )


def add_columns(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--ends", metavar="A,B", help="of a table: the columns of sources and targets"
    )
    command.add_argument(
        "--columns",
        metavar="C,D=WAY",
        help="of a table: the others to read; =days, =seconds or =codes make numbers of them",
    )
    command.add_argument(
        "--separator", metavar="X", help="of a table: what parts its columns; default: found"
    )


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="V",
        help="vertex to start from, as in the file (of a matrix: counted from 0); "
        "several: repeat it, or V,V,...",
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="a parameter of the algorithm, such as alpha=0.9 or weight=1; may be repeated",
    )


def add_seed(command: argparse.ArgumentParser) -> None:
    """Add the option."""
    command.add_argument("--seed", type=seed, default=0, metavar="N", help="of the random numbers")


def add_device(command: argparse.ArgumentParser, *names_and_devices: str) -> None:
    """Add the option, called by all texts but the last, which lists what may be given."""
    *names, devices = names_and_devices
    command.add_argument(
        *names,
        type=device,
        dest="device",
        metavar="DEVICE",
        help=f"where to run: {devices}; default: $EMV_BACKEND",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option."""
    command.add_argument("--json", action="store_true", help="print one JSON object")
