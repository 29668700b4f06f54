"""The options of ``emv convert`` that say what to do with the graph on its way."""

from __future__ import annotations

import argparse

from emv.graph.io import FORMATS
from emv.graph.prepare import RELABELLINGS, Options
from emv.graph.simple import FOLDS


def add_conversion(command: argparse.ArgumentParser) -> None:
    """Add what `options_of` reads, and where the graph is to be written."""
    command.add_argument("out", metavar="OUT", help="the file to write; .gz and .zst are packed")
    command.add_argument(
        "--to",
        choices=[each.name for each in FORMATS if each.write],
        help="format of OUT; default: told by its name",
    )
    command.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="what OUT cannot hold: a column, labels or direction; may be repeated",
    )
    command.add_argument(
        "--weighted", choices=("yes", "no"), help="demand weights, or leave them out"
    )
    command.add_argument("--no-loops", action="store_true", help="leave out loops")
    command.add_argument(
        "--min-weight", type=float, metavar="X", help="leave out edges that weigh less"
    )
    command.add_argument(
        "--symmetrise",
        action="store_true",
        help="let edges lead both ways, one for all that join the same two vertices",
    )
    command.add_argument(
        "--dedup", choices=FOLDS, help="make repeated edges one: the first, the least, the sum"
    )
    command.add_argument(
        "--ego",
        type=_root_and_hops,
        metavar="ROOT,K",
        help="keep what is at most K arcs from a vertex, called as in the file",
    )
    command.add_argument(
        "--min-degree", type=int, default=0, metavar="N", help="leave out vertices with fewer arcs"
    )
    command.add_argument(
        "--relabel",
        choices=RELABELLINGS,
        help="leave out vertices without edges, or number those with most arcs first",
    )


def options_of(options: argparse.Namespace) -> Options:
    """Return what was asked for, as `emv.read` takes it."""
    asked: Options = {}
    if options.weighted is not None:
        asked["weighted"] = options.weighted == "yes"
    if options.no_loops:
        asked["loops"] = False
    if options.min_weight is not None:
        asked["min_weight"] = options.min_weight
    if options.symmetrise:
        asked["symmetrise"] = True
    if options.dedup is not None:
        asked["dedup"] = options.dedup
    if options.ego is not None:
        asked["ego"] = options.ego
    if options.min_degree:
        asked["min_degree"] = options.min_degree
    if options.relabel is not None:
        asked["relabel"] = options.relabel
    return asked


def _root_and_hops(text: str) -> tuple[int | str, int]:
    root, comma, hops = text.rpartition(",")
    if not comma or not root or not hops.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no ROOT,K, such as 2565,2")
    return (int(root) if root.strip().isdecimal() else root), int(hops)
