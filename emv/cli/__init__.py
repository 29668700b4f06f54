"""The command ``emv``: run, explain or profile an algorithm, look at a graph.

`main` parses the command line, lets one command make its text, and writes it. Each command is a
function of the parsed options in a file of its own, loaded when it is asked for. Whatever a user
can get wrong ends in one line on stderr and the exit code 2; nothing is printed before it is known
to be right.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from emv.cli.failures import FAILED, error_line, warnings_on_stderr
from emv.cli.parser import parse
from emv.config import config
from emv.errors import EmvError

__all__ = ["main"]

MISTAKE = 2
INTERRUPTED = 130  # as a shell says of a program ended by Ctrl-C
PIPE_CLOSED = 141  # as a shell says of a program ended by SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, or 2 for a mistake.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the program's name; by default those of the process.

    Examples
    --------
    >>> main(["--version"])  # doctest: +ELLIPSIS
    emv ...
    0
    """
    try:
        return _main(argv)
    except KeyboardInterrupt:
        sys.stderr.write("emv: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return PIPE_CLOSED


def _main(argv: Sequence[str] | None) -> int:
    try:
        options = parse(argv)
        config.check()
        with warnings_on_stderr():
            text = _command(options.command)(options)
        sys.stdout.write(text)
        sys.stdout.flush()
    except SystemExit as done:  # argparse has printed a help text or the version
        sys.stdout.flush()
        return int(done.code or 0)
    except BrokenPipeError:
        raise
    except (EmvError, OSError, MemoryError) as error:
        sys.stderr.write(error_line(error))
        return MISTAKE
    except Exception as error:
        if config.debug:
            raise
        sys.stderr.write(error_line(error))
        return FAILED
    return 0


def _command(name: str) -> Callable[[argparse.Namespace], str]:  # noqa: C901 - a case each
    """Return the function of a command; those of the others are not loaded."""
    match name:
        case "bench":
            from emv.cli import bench_command

            return bench_command.execute
        case "completion":
            from emv.cli import completion_command

            return completion_command.execute
        case "convert":
            from emv.cli import convert_command

            return convert_command.execute
        case "doctor":
            from emv.cli import doctor_command

            return doctor_command.execute
        case "explain":
            from emv.cli import explain_command

            return explain_command.execute
        case "generate":
            from emv.cli import generate_command

            return generate_command.execute
        case "info":
            from emv.cli import info_command

            return info_command.execute
        case "profile":
            from emv.cli import profile_command

            return profile_command.execute
        case "serve":
            from emv.cli import serve_command

            return serve_command.execute
        case "replay":
            from emv.cli import replay_command

            return replay_command.execute
        case "view":
            from emv.cli import view_command

            return view_command.execute
        case "warm":
            from emv.cli import warm_command

            return warm_command.execute
        case _:
            assert name == "run", name
            from emv.cli import run_command

            return run_command.execute


def _discard_stdout() -> None:
    """Let what is left to be written go nowhere, so that Python's own flush cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
