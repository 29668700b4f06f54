"""What `explain` says, ``EMV_DEBUG`` prints to stderr, and ``EMV_DUMP`` writes.

The one place of the runtime that prints. The rungs of the ladder are told in `emv.config`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emv.config import config
from emv.errors import ArgumentError
from emv.ir import schedule as s
from emv.lang.effects import CHANGES
from emv.lang.schedules import Asked, NearFar
from emv.runtime.run import Run

if TYPE_CHECKING:
    from emv.runtime.compile import Compiled


def say(text: str) -> None:
    """Print a text on stderr."""
    sys.stderr.write(text.rstrip("\n") + "\n")


def tell_start(program: str, backend: str, num_threads: int, graph: Any) -> None:
    """Say where a program runs, and on what graph."""
    if config.debug >= 1:
        threads = f", {num_threads} thread{'s' * (num_threads != 1)}" if backend == "cpu" else ""
        say(f"emv: {program} on {backend}{threads}: {graph}")


def tell_kernels(compiled: Compiled) -> None:
    """Say what was made of a program, from the kernels' side to the user's."""
    if config.debug >= 3:
        say(str(compiled.schedule))
    if config.debug >= 4:
        say(compiled.source.text)
    if config.debug >= 5:
        say(program_and_effects(compiled))
    if config.dump:
        dump(compiled, config.dump)


def tell_end(run: Run) -> None:
    """Say how a run went, launch by launch."""
    if config.debug >= 2:
        say(run_text(run))


def run_text(run: Run) -> str:
    """Return a line of the whole run and one per launch, the longest first.

    Examples
    --------
    >>> from emv.runtime.run import LaunchTime, RunColumns
    >>> none, loop = RunColumns({}), LaunchTime("loop_2", 1, 0.25, supersteps=7)
    >>> print(run_text(Run("bfs", None, none, none, 7, "converged", 0.25, "cpu", 1.5, [loop])))
    emv: bfs on cpu: 7 supersteps, converged, 250.0 ms, compiled in 1500.0 ms
      loop_2                                      250.00 ms       1 calls  7 supersteps
    """
    compiled = f", compiled in {1e3 * run.compile_seconds:.1f} ms" if run.compile_seconds else ""
    lines = [
        f"emv: {run.program} on {run.backend}: {run.supersteps} supersteps, {run.stopped}, "
        f"{1e3 * run.seconds:.1f} ms{compiled}"
    ]
    longest_first = sorted(run.launches, key=lambda spent: -spent.seconds)
    return "\n".join([*lines, *(f"  {spent}" for spent in longest_first)])


def dump(compiled: Compiled, folder: str) -> None:
    """Write program, schedule and kernels into a folder, each program under its digest.

    Raises
    ------
    ArgumentError
        If the folder cannot be written.
    """
    source = compiled.source
    texts = {
        "program": program_and_effects(compiled),
        "schedule": str(compiled.schedule),
        "py": source.text,
    }
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for suffix, text in texts.items():
            path = Path(folder) / f"{source.name}-{source.digest()}.{suffix}"
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"EMV_DUMP is {folder!r}, which cannot be written: {error.strerror}",
            remedy="Name a folder that you may write to.",
        ) from None


# What `explain` prints.


def program_and_effects(compiled: Compiled) -> str:
    """Return the traced program, and what each of its functions reads and writes."""
    seen = {
        function.name: f"    {function.kind:<8} {function.name:<20} {function.effects}"
        for function in compiled.functions
    }
    return "\n".join([str(compiled.program), "effects", *seen.values(), ""])


def explained(compiled: Compiled) -> str:
    """Return the explanation of a compiled program."""
    from emv.runtime.updating import deduced  # calls load this module, and explain nothing

    updated = deduced(compiled.program, compiled.schedule)
    told = "" if updated is None else f"\nupdate {updated}\n"
    return f"{program_and_effects(compiled)}\n{compiled.schedule}{told}"


def explained_changes(functions: list[Any]) -> str:
    """Return what the functions of a program change of its graph, and what that costs it."""
    lines = []
    for each in functions:
        words = sorted(each.effects.acts & CHANGES)
        if words:
            lines.append(f"    {each.name:<20} does {', '.join(words)}\n")
    if not lines:
        return ""
    cost = "seen from the next superstep on, so the host drives all loops, and no claim, relaxation"
    lines.append(f"    {cost} or test of arcs goes from one superstep to the next\n")
    return "".join(["changes of the graph\n", *lines])


def explained_words(compiled: Compiled, asked: Asked, delta_arcs: float) -> str:
    """Return what the caller asks of the schedule, launch by launch; empty if nothing.

    Parameters
    ----------
    delta_arcs : float
        Arcs of mean weight, over the mean degree, by which a threshold moves when emv chooses.
    """
    from emv.passes.follow_schedule import names_of  # plain runs need no passes

    lines = []
    for launch in s.launches_in(compiled.schedule.body):
        for word in dict.fromkeys(asked.words(names_of(launch))):
            if not isinstance(word, NearFar):
                lines.append(f"    {launch.name}: {word}\n")
            elif isinstance(launch.shortcut, s.Relax):
                why = f", {chosen(launch.shortcut, delta_arcs)}" if word.delta == "auto" else ""
                lines.append(f"    {launch.name}: {word}{why}\n")
    return "".join(["asked\n", *lines]) if lines else ""


def met(compiled: Compiled) -> str:
    """Return whether parts of a graph meet in their kernels, or why not; nothing elsewhere."""
    if compiled.apart:
        return f"exchange by the host, launch by launch: {compiled.apart}\n"
    if compiled.grids:
        return "exchange in the kernels, one of each GPU, which meet behind each call\n"
    return ""


def chosen(relax: s.Relax, delta_arcs: float) -> str:
    """Return what a threshold moves by when emv chooses."""
    if not relax.weights:
        return "everything is near, as no edge column is added"
    return f"{delta_arcs:g} times the mean {' + '.join(relax.weights)} over the mean degree"
