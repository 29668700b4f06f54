"""The options of every command, and how a command line that does not fit them is refused."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

import emv
from emv.cli.common_options import (
    add_algorithm,
    add_arguments,
    add_columns,
    add_device,
    add_graph,
    add_json,
    add_seed,
)
from emv.cli.convert_options import add_conversion
from emv.cli.functions import RUNNABLE, listed_algorithms, listed_models
from emv.cli.serve_options import add_serving
from emv.cli.texts import device, gpus
from emv.cli.view_options import add_viewing
from emv.errors import ArgumentError
from emv.generators import GENERATORS
from emv.graph.io import FORMATS


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like all others, in one line."""

    def error(self, message: str) -> NoReturn:
        if "=" in message and message.startswith("unrecognized arguments"):
            message += ", write --set before each NAME=VALUE"
        raise ArgumentError(message, remedy=f"see '{self.prog} --help'")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command line.

    Raises
    ------
    ArgumentError
        If they are not those of a command.
    SystemExit
        After a help text or the version has been printed.
    """
    return _parser().parse_args(argv)


def _parser() -> _Parser:
    parser = _Parser(
        prog="emv",
        description="Run graph algorithms on graph files, at the speed of compiled code.",
        epilog="'emv COMMAND --help' shows the options of a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"emv {emv.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_info(commands)
    _add_explain(commands)
    _add_profile(commands)
    _add_replay(commands)
    _add_generate(commands)
    _add_convert(commands)
    _add_view(commands)
    _add_doctor(commands)
    _add_bench(commands)
    _add_warm(commands)
    add_device(add_serving(commands), "--device", "auto, cpu, cuda or cuda:N")
    _add_completion(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "run",
        help="run an algorithm and show or save its result",
        description=f"Run an algorithm and show or save its result.\n\n{listed_algorithms()}",
        epilog="Example: emv run bfs wiki-Vote.txt.gz --source 2565 --out depths.csv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_algorithm(command, RUNNABLE)
    add_graph(command)
    add_arguments(command)
    add_seed(command)
    add_device(command, "--device", "auto, cpu, cuda, cuda:N or python")
    command.add_argument(
        "--gpus",
        type=gpus,
        metavar="N",
        help="with --device cuda: how many GPUs have a part of the graph each, all, auto, or "
        "names such as cuda:0,cuda:2",
    )
    command.add_argument(
        "--by", metavar="WAY", help="how parts are made: ranges, metis, hash, or a file of parts"
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        help="save all results as FILE.csv, .parquet, .arrow, .json, .npz or .npy",
    )
    add_json(command)


def _add_info(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "info", help="show counts, columns and degrees of a graph", allow_abbrev=False
    )
    add_graph(command)
    command.add_argument(
        "--diameter", action="store_true", help="also search for two vertices far apart"
    )
    command.add_argument("--components", action="store_true", help="also count the components")
    command.add_argument(
        "--parts", type=int, metavar="N", help="also show how it divides into N parts"
    )
    command.add_argument(
        "--by", metavar="WAY", help="how it is divided: ranges, metis, hash, or a file of parts"
    )
    command.add_argument("--hops", type=int, metavar="N", help="count N hops of replicas")
    add_json(command)


def _add_explain(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "explain", help="show how an algorithm would run, without running it", allow_abbrev=False
    )
    add_algorithm(command)
    add_graph(command)
    add_arguments(command)
    command.add_argument("--kernels", action="store_true", help="show the generated kernels")


def _add_profile(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "profile",
        help="show where the time of a run went, per launch and per superstep",
        description="Run an algorithm and show where the time went, per launch and per superstep:\n"
        "frontier, edges, bytes moved by a model, and their share of the bandwidth of a copy.",
        epilog="Example: emv profile bfs wiki-Vote.txt.gz --source 2565 --plot bfs.png",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_algorithm(command)
    add_graph(command)
    add_arguments(command)
    add_seed(command)
    add_device(command, "--device", "--backend", "auto, cpu, cuda or cuda:N")
    command.add_argument(
        "--plot", metavar="FILE", help="save a picture, such as FILE.png; needs the extra viz"
    )
    add_json(command)


def _add_replay(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "replay",
        help="apply a file of timed changes by batches, with a result for every version",
        description="Apply changes of a file to a graph by batches and tell of every version. A\n"
        "line is SOURCE TARGET [TIME], + SOURCE TARGET [WEIGHT], - SOURCE TARGET, or a row of a\n"
        "table with named columns, of which one called sign, op or change says which remove.",
        epilog="Example: emv replay sx-mathoverflow.txt.gz --run components --batch 100000",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("changes", metavar="FILE", help="the changes, - for standard input")
    command.add_argument(
        "--run", metavar="ALGORITHM", help="bring its result from version to version"
    )
    command.add_argument(
        "--batch",
        type=int,
        default=100_000,
        metavar="N",
        help="changes that make a version; default: 100000",
    )
    command.add_argument(
        "--out", metavar="FOLDER.emv", help="keep every version in a folder of emv's"
    )
    command.add_argument("--undirected", action="store_true", help="let every edge lead both ways")
    add_columns(command)
    add_arguments(command)
    add_seed(command)
    add_device(command, "--device", "auto, cpu, cuda, cuda:N or python")
    add_json(command)


def _add_generate(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "generate",
        help="make a graph by rule and write it to a file",
        description=f"Make a graph by rule and write it to a file.\n\n{listed_models()}",
        epilog="Example: emv generate rmat 1000000 16000000 rmat.mtx.gz --seed 1 --weights 0,100",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("model", metavar="MODEL", help=", ".join(GENERATORS))
    command.add_argument(
        "values",
        nargs="+",
        metavar="VALUE ... OUT",
        help="values of the model's parameters in their order, then the file to write",
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        dest="settings",
        metavar="NAME=VALUE",
        help="a parameter of the model by name, such as noise=0; may be repeated",
    )
    add_seed(command)
    command.add_argument(
        "--weights",
        metavar="LOW,HIGH",
        help="uniform weights: whole numbers below HIGH, or with a point in one of them any",
    )
    ways = command.add_mutually_exclusive_group()
    ways.add_argument(
        "--directed", action="store_true", default=None, help="let edges lead one way only"
    )
    ways.add_argument(
        "--undirected", action="store_false", dest="directed", help="let every edge lead both ways"
    )
    command.add_argument(
        "--device",
        type=device,
        metavar="DEVICE",
        help="where to make it: cpu, cuda or cuda:N; the graph is the same",
    )
    command.add_argument(
        "--format",
        choices=[each.name for each in FORMATS if each.write],
        help="default: told by the file's name",
    )
    command.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column that the file cannot hold, such as side; may be repeated",
    )
    add_json(command)


def _add_convert(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "convert",
        help="write the graph of a file in another format, or less of it",
        description="Write the graph of a file in another format, or less of it.\n"
        "The options are applied in the order: weighted, no-loops, min-weight, symmetrise, dedup,\n"
        "ego, min-degree, relabel.",
        epilog="Example: emv convert roads.gr.gz roads.mtx --symmetrise --dedup min --no-loops",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_graph(command)
    add_conversion(command)
    add_json(command)


def _add_view(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "view",
        help="make a picture of a graph: a page for a browser, or an image",
        description="Lay out a graph and make a picture of it: a page of one file, which needs no\n"
        "network, to look around in; or an image. Without --out the page is shown in a browser.",
        epilog="Example: emv view wiki-Vote.txt.gz --color pagerank --out votes.html",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_graph(command)
    add_viewing(command)
    add_seed(command)
    add_device(command, "--device", "auto, cpu, cuda, cuda:N or python")
    add_json(command)


def _add_doctor(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "doctor",
        help="show what this machine offers: versions, cores, GPUs, cache",
        allow_abbrev=False,
    )
    add_json(command)


def _add_bench(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "bench",
        help="time algorithms beside scipy and networkx on this machine",
        description="Time algorithms on a graph beside scipy and networkx on this machine, and\n"
        "check every result. The whole benchmark of docs/benchmarks.md needs a clone of the\n"
        "repository: --suite takes what is left of the line, as does --report.",
        epilog="Examples: emv bench wiki-Vote.txt.gz --algorithms bfs,pagerank\n"
        "          emv bench roadnet-ca --scale 0.1 --json\n"
        "          emv bench --suite --target cuda --graphs road --json road.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_graph(command, or_name=True)
    command.add_argument(
        "--scale", type=float, default=1.0, metavar="X", help="of a graph by name: a smaller one"
    )
    command.add_argument(
        "--algorithms",
        action="append",
        metavar="A,B,...",
        help="default: bfs,sssp,pagerank,components; may be repeated",
    )
    command.add_argument(
        "--source", action="append", default=[], metavar="V", help="default: most out-arcs"
    )
    command.add_argument("--rounds", type=int, default=10, metavar="N", help="default: 10")
    command.add_argument(
        "--peers",
        metavar="A,B",
        help="scipy, networkx or none; default: both, networkx up to a million arcs",
    )
    add_device(command, "--device", "auto, cpu, cuda, cuda:N or python")
    add_json(command)
    for name, module in (("suite", "bench.suite"), ("report", "docs.build_benchmarks")):
        command.add_argument(
            f"--{name}",
            nargs=argparse.REMAINDER,
            help=f"run 'python -m {module} ...' of the clone that emv is in",
        )


def _add_completion(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "completion",
        help="print what makes a shell complete emv's commands, options and algorithms",
        epilog="Example: emv completion bash > ~/.local/share/bash-completion/completions/emv",
        allow_abbrev=False,
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def options_of_commands() -> dict[str, list[str]]:
    """Return the options of every command by its name."""
    found: dict[str, list[str]] = {}
    for action in _parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found[name] = sorted(
                    text for each in command._actions for text in each.option_strings
                )
    return found


def _add_warm(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser(
        "warm",
        help="compile algorithms now, so that their first calls need not",
        description="Compile algorithms for this machine and keep what comes of it in the folder\n"
        "EMV_CACHE names, so that first calls of later processes only read it.",
        epilog="Example: emv warm bfs sssp --device cuda",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument(
        "algorithms", nargs="*", metavar="ALGORITHM", help=f"default: all of {', '.join(RUNNABLE)}"
    )
    command.add_argument(
        "--jobs", type=int, metavar="N", help="processes that compile; default: one a core"
    )
    add_device(command, "--device", "auto, cpu, cuda or cuda:N")
    add_json(command)
