"""What every test of a user's mistake asserts about the error that answers it."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest
from unit.lang.tracing import trace

import emv
from emv import Graph
from emv.errors import EmvError
from emv.runtime.program import ProgramFunction

PACKAGE = str(Path(emv.__file__).parent) + os.sep


def path(num_vertices: int = 3) -> Graph:
    """Return the directed path 0 -> 1 -> 2, with no columns."""
    ids = list(range(num_vertices))
    return Graph.from_edges(ids[:-1], ids[1:], num_vertices=num_vertices)


def refuses(
    action,
    error: type[EmvError],
    *,
    run: str = "eager traced",
    file: str | None = None,
    **wanted: str,
) -> None:
    """Assert that a program, or a definition, is refused with an error that helps.

    Parameters
    ----------
    action : program or callable
        A program is run eagerly and traced, or only what `run` names; a callable is called.
    file : str, optional
        The file that the line stands in, when the caller is not in it.
    at, under : str
        The line of the file that the error shows, and what its carets stand under.
    function : str
        The function that the error names.
    says, remedy : str
        Parts of the first and of the last line.
    """
    file = file or inspect.stack()[1].filename
    for way in _ways(action, run):
        with pytest.raises(error) as raised:
            way()
        message = str(raised.value)
        _check(message, file, wanted["at"], wanted["under"], wanted["function"])
        assert wanted["says"] in message.splitlines()[0]
        assert wanted["remedy"] in message.splitlines()[-1]


def _ways(action, run: str):
    if not isinstance(action, ProgramFunction):
        return [action]
    ways = {"eager": lambda: action(path(), backend="python"), "traced": lambda: trace(action)}
    return [ways[name] for name in run.split()]


def _check(message: str, file: str, at: str, under: str, function: str) -> None:
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    plain = [line.split("  # noqa")[0].strip() for line in lines]
    numbers = [number for number, line in enumerate(plain, 1) if line == at]
    assert len(numbers) == 1, f"{at!r} stands {len(numbers)} times in {file}"
    shown = message.splitlines()
    assert f'  File "{file}", line {numbers[0]}, in {function}' in shown
    excerpt = next(k for k, line in enumerate(shown) if line.split("  # noqa")[0] == f"    {at}")
    assert shown[excerpt + 1] == "    " + " " * at.index(under) + "^" * len(under)
    assert PACKAGE not in message
