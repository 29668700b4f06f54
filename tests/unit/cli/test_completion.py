"""A shell that has read `emv completion` completes commands, options and algorithms."""

import shutil
import subprocess

import pytest

COMPLETE = """
source {script}
COMP_WORDS=({words}); COMP_CWORD={place}; _emv; echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(command, tmp_path):
    path = tmp_path / "emv.bash"
    path.write_text(command("completion", "bash").out)
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("emv co", ["convert", "completion"]),
        ("emv run page", ["pagerank"]),
        ("emv run bfs --so", ["--source"]),
        ("emv generate kron", ["kronecker"]),
        ("emv info --dia", ["--diameter"]),
        ("emv run zzz", []),
    ],
)
def test_bash_completes(script, words, found):
    text = COMPLETE.format(script=script, words=words, place=len(words.split()) - 1)
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.split() == found


def test_other_shells_get_the_same_words(command):
    zsh, fish = (command("completion", shell).out for shell in ("zsh", "fish"))
    assert "bashcompinit" in zsh
    assert "pagerank" in zsh
    assert "-l source" in fish
    assert "pagerank" in fish


def test_other_words_are_refused(command):
    assert "invalid choice" in command.mistake("completion", "tcsh")
