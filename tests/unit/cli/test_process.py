"""The command as a process of its own: start-up, exit codes, pipes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
from graph_files import DATA, ROOT

import emv
from emv.cli import main

KARATE = str(DATA / "mtx" / "karate.mtx")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def emv_process(*argv, **named):
    return subprocess.run(
        [sys.executable, "-m", "emv", *argv],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        **named,
    )


def test_version():
    done = emv_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"emv {emv.__version__}\n", "")


def test_run():
    done = emv_process("run", "pagerank", KARATE, "--device", "python", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["vertices"] == 34


def test_mistake_leaves_no_traceback():
    done = emv_process("run", "pagerank", "no-such.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "emv: error: no-such.txt: cannot be read: No such file or directory\n"


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["run", "pagernk", KARATE]])
def test_help_and_mistakes_start_quickly(argv):
    program = (
        "import sys; from emv.cli import main; code = main(sys.argv[1:]); "
        "print(code, *{'numba', 'scipy', 'networkx'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *argv],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert done.stderr.splitlines()[-1] == ("0" if "--help" in argv else "2")


def test_help_names_the_commands_and_options():
    assert all(name in emv_process("--help").stdout for name in ("run", "info", "explain"))
    options = "--source --device --set --out --json --undirected --seed".split()
    text = emv_process("run", "--help").stdout
    assert all(name in text for name in options)
    assert re.search(r"^  bfs +Return how many arcs every vertex is away", text, re.MULTILINE)


@pytest.mark.parametrize("argv", [["info", KARATE], ["--help"]])
def test_closed_pipe_is_quiet(argv):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "emv", *argv],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode in ((141,) if argv[0] == "info" else (0, 141))  # argparse says 0


def test_installed_command_is_main():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"emv": f"{main.__module__}:{main.__name__}"}
