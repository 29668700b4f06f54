"""Running the command line inside the test's own process."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from emv.cli import main


class Outcome(NamedTuple):
    """What a command left: its exit code and the two texts."""

    code: int
    out: str
    err: str


class CommandLine:
    """Calls the command with its arguments as in a shell."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *argv: object) -> Outcome:
        code = main([str(each) for each in argv])
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    def json(self, *argv: object) -> dict[str, Any]:
        """Return the one object that a command prints."""
        outcome = self(*argv, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.count("\n") == 1
        return json.loads(outcome.out)

    def mistake(self, *argv: object) -> str:
        """Return the one line that a command says of a mistake, without what it begins with."""
        outcome = self(*argv)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("emv: error: ")
        assert outcome.err.endswith("\n")
        assert outcome.err.count("\n") == 1
        return outcome.err.removeprefix("emv: error: ").rstrip("\n")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capsys)
