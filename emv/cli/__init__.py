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
from emv.imports import later

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


def _command(name: str) -> Callable[[argparse.Namespace], str]:
    """Return the function of a command; those of the others are not loaded."""
    execute: Callable[[argparse.Namespace], str] = later(f"emv.cli.{name}_command", "execute")
    return execute


def _discard_stdout() -> None:
    """Let what is left to be written go nowhere, so that Python's own flush cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
