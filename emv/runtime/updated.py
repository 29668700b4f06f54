"""What `ProgramFunction.update` says of itself; `emv.runtime.updating` does it, loaded then.

Few programs are brought to a later version of their graph, and all are defined.
"""

from __future__ import annotations

from typing import Any

from emv.runtime.run import Run


def update(program: Any, run: Run, graph: Any, make: Any) -> Run:
    """Run the program on a later version of a run's graph, from what that run found where it can.

    The result is that of ``program.run(graph, ...)`` with the arguments of the earlier run; where a
    loop ends by a tolerance, both are within it of the same fixed point.

    Parameters
    ----------
    run : Run
        Of this program. Its columns must be as the run left them, and the program as it was.
    graph : Graph
        Mostly a later version of ``run.graph``; it may be any.

    Returns
    -------
    Run
        ``updated`` says what was done, and why not less; ``program.explain(graph)`` says
        beforehand what can be.

    Raises
    ------
    ArgumentError
        If the run is not one of this program.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import components
    >>> g = Graph.from_edges([0, 2], [1, 3])
    >>> run = components.run(g)
    >>> later = components.update(run, g.add_edges([3], [0]))
    >>> later.result, later.updated
    (array([0, 0, 0, 0]), '2 sets were joined along 1 new edge')
    """
    from emv.runtime import updating

    return updating.updated(program, run, graph, make)
