"""A program with a graph and arguments, for whoever runs it again and again with the same.

What a call is about is found once. Whether it is still so is asked before each run, in as few words
as there are: that no edge and no edge column is another, that no knob was turned, and, by the run
itself, that all names mean what they meant. If it is not, the call is an ordinary one.
"""

from __future__ import annotations

from typing import Any

from emv.config import TURNED, config
from emv.runtime.arguments import check_call
from emv.runtime.outcome import run_there
from emv.runtime.progress import is_watched_again
from emv.runtime.run import Run, told_of_none
from emv.runtime.targets.placing import formed
from emv.tracebacks import end_at_caller, ends_at_caller, warn_at_caller

OPTIONS = {"backend": None, "rng": 0, "schedule": None, "precision": None}
"""What calls take besides the arguments, and is the same in all runs of one that is prepared."""


Found = tuple[int, int, Any, Any, Any]
"""How often knobs were turned and edge columns assigned; the layouts; what an equal call has met;
on cores, what runs it again."""

NOTHING: Found = (-1, -1, None, None, None)


class PreparedCall:
    """A call that is made again and again: call it for the result; `run` also tells how it went.

    Attributes
    ----------
    program, graph : Program, Graph
    args, named, options : tuple, dict, dict
        The arguments by place and by name, and the options of the call.
    """

    def __init__(self, program: Any, graph: Any, args: Any, named: Any, options: Any) -> None:
        self.program, self.graph = program, graph
        self.args, self.named, self.options = args, named, options
        self._asked = program, args, named, options
        self._seed, self._columns = options["rng"], graph._store.edges._columns
        self._found = NOTHING

    @ends_at_caller
    def __call__(self) -> Any:
        """Run and return the result."""
        result = self.run().result
        return told_of_none(self.program.python) if result is None else result

    def run(self) -> Run:
        """Run and return a `Run`.

        Raises
        ------
        EmvError
            As `ProgramFunction.run` does.
        """
        graph, run = self.graph, None
        knobs, changes, layouts, met, again = self._found  # at once, as threads may share it
        try:
            if (
                TURNED[0] == knobs
                and self._columns.changes == changes
                and graph._store.layouts is layouts
            ):
                met.text._refresh()
                if again is None:
                    run = run_there(self._asked, graph, met, self._seed, None, None)
                else:
                    run = again.with_one_of(met.left(), graph, self._seed, self._asked)
            if run is None:
                return self._anew()
            self.program._finish(run, met.arguments, met.text, met.told)
        except Exception as error:
            end_at_caller(error)
            raise
        if run.trouble is not None:
            warn_at_caller(str(run.trouble), type(run.trouble))
        return run

    def _anew(self) -> Run:
        """Run as an ordinary call does, and note what equal ones find."""
        program, graph, options, knobs = self.program, self.graph, self.options, TURNED[0]
        run: Run = program.run(graph, *self.args, **options, **self.named)
        place, seed, *others = options.values()
        is_its_form = formed(graph, program.form, program.name) is graph
        is_seen = is_watched_again(run.seconds) or config.debug or config.dump
        if type(seed) is not int or not is_its_form or is_seen:
            return run
        met = program._calls.again(graph, (*self.args, place, *others), self.named)
        plan = next(iter((None if met is None else met.left()) or ()), None)
        if plan is not None:
            again = None if plan.begun is None else plan.begun.again
            if again or plan.target.device is not None:
                self._found = knobs, met.changes, met.layouts(), met, again or None
        return run

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={each!r}" for name, each in self.named.items())]
        return f"<{self.program.name}({', '.join(['g', *given])}), prepared>"


def prepare(program: Any, graph: Any, *args: Any, **named: Any) -> PreparedCall:
    """Return a call with these arguments, to be made again and again.

    It gives what an ordinary one gives at that time: what has changed of the graph, of the names
    that the program uses or of the knobs is seen. It takes less around the kernels, which counts
    where these take less than a millisecond.

    Parameters
    ----------
    graph : Graph
        What the program calls ``g``.
    *args, **named
        The program's own parameters, and of the options of `run`: ``backend``, ``rng``,
        ``schedule`` and ``precision``.

    Returns
    -------
    PreparedCall
        ``call()`` returns the result, ``call.run()`` a `Run`. The first two runs find what later
        ones leave out, and the first compiles.

    Raises
    ------
    ArgumentError
        If the call takes no such option, or an argument does not fit.
    EmvError
        As `run` does before it begins.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bfs
    >>> g = Graph.from_edges([0, 1], [1, 2])
    >>> search = bfs.prepare(g, 0)
    >>> search()
    array([0, 1, 2], dtype=int32)
    >>> edge = g.add_edge(0, 2)
    >>> search()
    array([0, 1, 1], dtype=int32)
    """
    options = {name: named.pop(name, default) for name, default in OPTIONS.items()}
    check_call(program.name, graph, options["rng"])
    made = formed(graph, program.form, program.name, options["backend"])
    program._met(
        made, args, named, *(options[each] for each in ("backend", "schedule", "precision"))
    )
    return PreparedCall(program, graph, args, named, options)
