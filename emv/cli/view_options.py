"""The options of ``emv view`` that say what is shown, and how."""

from __future__ import annotations

import argparse

METHODS = ("forceatlas2", "fruchterman_reingold")
"""As in `emv.viz`, which only that command loads."""


def add_viewing(command: argparse.ArgumentParser) -> None:
    """Add what ``emv view`` reads besides the graph."""
    command.add_argument(
        "--out",
        metavar="FILE",
        help="save as FILE.html, or by matplotlib as .png, .svg or .pdf",
    )
    shown = "a column of vertices, or an algorithm that wants nothing but the graph"
    command.add_argument("--color", metavar="NAME", help=f"what colours tell: {shown}")
    command.add_argument(
        "--size", metavar="NAME", help="what sizes tell, in the same way; default: degrees"
    )
    command.add_argument(
        "--values", metavar="A,B,...", help="more to choose from in the page, in the same way"
    )
    command.add_argument(
        "--around", metavar="V", help="show what is near a vertex, as it is called in the file"
    )
    command.add_argument(
        "--hops", type=int, metavar="N", help="how many edges away; with --around, default: 2"
    )
    command.add_argument(
        "--method", choices=METHODS, default=METHODS[0], help="how vertices are laid out"
    )
    command.add_argument("--rounds", type=int, metavar="N", help="of the layout; default: 100")
    command.add_argument("--weight", metavar="NAME", help="a column of edges: how strong each is")
    command.add_argument("--title", metavar="TEXT", help="of the page; default: the file's name")
    command.add_argument(
        "--names", type=int, metavar="N", help="of an image: names beside the N largest vertices"
    )
