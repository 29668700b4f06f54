"""``emv completion``: what makes a shell complete commands, options, algorithms and models.

The text holds the words themselves, so that completing starts no Python; files complete elsewhere.
"""

from __future__ import annotations

import argparse

from emv.cli.functions import PROGRAMS, RUNNABLE
from emv.cli.parser import options_of_commands
from emv.generators import GENERATORS

TAKE_ALGORITHMS = ("run", "explain", "profile")

BASH = """_emv() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _emv emv
"""


def execute(options: argparse.Namespace) -> str:
    """Return the text for a shell."""
    commands = options_of_commands()
    if options.shell == "fish":
        return fish_text(commands)
    text = BASH.format(
        commands=" ".join(commands),
        cases="\n".join(bash_case(name, found) for name, found in commands.items()),
    )
    head = "autoload -U +X bashcompinit && bashcompinit\n" if options.shell == "zsh" else ""
    return head + text


def first_words(command: str) -> list[str]:
    """Return what may follow a command at once.

    Examples
    --------
    >>> first_words("run")[:2], first_words("info")
    (['average_clustering', 'betweenness_centrality'], [])
    """
    if command in TAKE_ALGORITHMS:
        return list(RUNNABLE if command == "run" else PROGRAMS)
    if command == "completion":
        return ["bash", "zsh", "fish"]
    return list(GENERATORS) if command == "generate" else []


def bash_case(command: str, options: list[str]) -> str:
    """Return the lines for one command: words behind it, and options anywhere."""
    return (
        f"        {command})\n"
        f'            words="{" ".join(options)}"\n'
        f'            [ "$COMP_CWORD" -eq 2 ] && words="{" ".join(first_words(command))} $words"\n'
        f"            ;;"
    )


def fish_text(commands: dict[str, list[str]]) -> str:
    """Return the lines for fish: one per command, one per option."""
    lines = [f"complete -c emv -n __fish_use_subcommand -a '{' '.join(commands)}'"]
    for command, options in commands.items():
        behind = f"complete -c emv -n '__fish_seen_subcommand_from {command}'"
        if first_words(command):
            lines.append(f"{behind} -a '{' '.join(first_words(command))}'")
        for option in options:
            kind = "-l" if option.startswith("--") else "-s"
            lines.append(f"{behind} {kind} {option.lstrip('-')}")
    return "\n".join(lines) + "\n"
