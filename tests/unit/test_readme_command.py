"""README's commands are found by the comments before them."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("readme_command", ROOT / ".ci" / "readme_command.py")
readme_command = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(readme_command)

TEXT = """
<!-- command: main-job -->
```sh
python3 -m venv .venv && .venv/bin/pip install .
.venv/bin/emv info x/.venv
```
<!-- command: twice -->
```
a
```
<!-- command: twice -->
```
b
```
"""


def test_command_is_the_block_after_its_comment():
    assert readme_command.command(TEXT, "main-job").splitlines() == [
        "python3 -m venv .venv && .venv/bin/pip install .",
        ".venv/bin/emv info x/.venv",
    ]


def test_only_the_folder_of_the_environment_is_replaced():
    replaced = readme_command.command(TEXT, "main-job", ".venv-ci")
    assert replaced.startswith("python3 -m venv .venv-ci && .venv-ci/bin/pip install .\n")
    assert replaced.endswith(".venv-ci/bin/emv info x/.venv")


@pytest.mark.parametrize("name", ["absent", "twice"])
def test_missing_or_doubled_block_is_an_error(name):
    with pytest.raises(LookupError, match=name):
        readme_command.command(TEXT, name)


@pytest.mark.parametrize(("name", "says"), [("main-job", "emv run"), ("tests", "pytest")])
def test_readme_has_both_commands(name, says):
    assert says in readme_command.command((ROOT / "README.md").read_text(encoding="utf-8"), name)
