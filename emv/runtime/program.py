"""The user's program function, ready to be called, run, explained and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from emv.errors import ArgumentError
from emv.graph.text_of import text_of
from emv.lang.draws import Rng
from emv.lang.named import changes_graph, host_remedy
from emv.lang.schedules import BySuperstep
from emv.lang.source import definition_loc
from emv.lang.widen import Widening
from emv.renamed import renamed
from emv.runtime import prepared_call, texts, updated
from emv.runtime.arguments import Arguments, Call, check_call, read_as, sort_arguments, type_behind
from emv.runtime.batches import batch_arguments, check_copies
from emv.runtime.outcome import run_there
from emv.runtime.parameters import KnownCalls, Met, is_settled
from emv.runtime.progress import is_watched, watched
from emv.runtime.run import Run, told_of_none
from emv.runtime.targets.placing import choose_backend, formed, target_of, unrun
from emv.tracebacks import ends_at_caller

if TYPE_CHECKING:
    from emv.runtime.arrays.memory import MemoryPlan
    from emv.shown.profile import Profile


class ProgramFunction:
    """A program: call it on a graph to get its result; `run` also tells how it went.

    Attributes
    ----------
    python : function
        What the user wrote.
    bind : dict
        Which parameters supply columns.
    is_of_host : bool
        Whether it says that its loops and ``if`` run on the host, launching compiled calls.
    form : str or None
        The form in which it sees a graph: ``undirected``, ``oriented``, ``both ways``, or as it is.
    precision : str
        What f32 is read as by default: ``single``, ``double``, or as the numbers of a parameter.
    """

    def __init__(
        self,
        python: Any,
        bind: dict[str, Any],
        host_loop: bool,
        form: str | None = None,
        precision: str = "single",
    ) -> None:
        self.python, self.bind = python, bind
        self.is_of_host, self.form, self.precision = host_loop, form, precision
        self.name = python.__name__
        self.loc = definition_loc(python)
        self.__doc__, self.__name__ = python.__doc__, python.__name__
        self.__module__, self.__wrapped__ = python.__module__, python
        self._engine: Any = None
        self._calls = KnownCalls()
        self._widened: dict[str, ProgramFunction] = {}
        self._refresh: Callable[[], object] = int  # of one that is widened: has variables anew

    @property
    def host_loop(self) -> bool:
        """Whether its loops and ``if`` run on the host: if it says so, or changes its graph."""
        return self.is_of_host or changes_graph(self.python)

    def __repr__(self) -> str:
        return f"<program {self.name} at {self.loc}>"

    def __reduce__(self) -> str:
        """Go to other processes by name, as functions do."""
        return str(self.python.__qualname__)

    @ends_at_caller
    def __call__(self, graph: Any = None, *args: Any, **named: Any) -> Any:
        """Run on a graph and return the result."""
        result = self.run(graph, *args, **named).result
        return told_of_none(self.python) if result is None else result

    @ends_at_caller
    @renamed("0.2", seed="rng")
    def run(  # noqa: PLR0913 - keywords, each on its own
        self,
        graph: Any,
        *args: Any,
        backend: str | None = None,
        rng: Rng = 0,
        callback: Callable[[int, dict[str, Any]], Any] | None = None,
        stream: Any = None,
        schedule: Any = None,
        precision: str | None = None,
        **named: Any,
    ) -> Run:
        """Run on a graph and return a `Run`.

        Parameters
        ----------
        graph : Graph
            What the program calls ``g``.
        *args, **named
            The program's own parameters.
        backend : {"auto", "cuda", "cuda:N", "cpu", "python"}, optional
            Where to run; by default what the graph or ``EMV_BACKEND`` says.
        rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
            Of `emv.random` and `emv.randint`, as SPEC 7 has it: a number for the same draws in
            every run and on every backend, a generator draws one, None is another every time.
        callback : callable, optional
            Called as ``callback(supersteps, info)`` after supersteps: after every one with
            ``python``, every fraction of a second and at the end of each loop otherwise. ``info``
            has ``active``, how many vertices are active next, and ``line``, that of the loop. If
            it returns something true, all loops end (``stopped`` is ``"callback"``), and what
            follows them in the program still runs.
        stream : optional
            On a GPU, the stream that copies and launches are put on: its handle, or a stream of
            cuda.core, CuPy or torch. By default one of emv's own, which the legacy default stream
            waits for and which waits for that. The call returns when the run is over.
        schedule : near_far(...), by_superstep() or dict, optional
            How to run, which changes no result: a word for the whole program, or words by the
            names of functions, ``{"offer_path": emv.near_far(delta=2.0)}``. By default emv
            chooses. Plain Python follows none, as it is what results are defined by; a schedule
            that a compiled run would refuse is refused there, too.
        precision : {"single", "double"}, optional
            ``"double"`` runs the same text with f32 read as f64, in records, messages, parameters
            and casts: columns that the graph has in f64 keep their digits, and floats take twice
            the memory. By default what the program says, see `program`. `profile`, `explain`,
            `memory_plan` and `source` take it, too.

        Raises
        ------
        ArgumentError
            If nothing in the program can be run as the schedule says, and the message says why; or
            if `precision` is another word.
        EmvError
            If the program or a function says something the language lacks, an argument does not
            fit, or the graph lacks a column.
        """
        seed = check_call(self.name, graph, rng, callback)
        if self.form is not None:
            graph = formed(graph, self.form, self.name, backend)
        met = self._met(graph, args, named, backend, schedule, precision)
        if met.arguments.copies:
            check_copies(self.name, self.host_loop, callback, self.loc)
        options = {"backend": backend, "rng": seed, "schedule": schedule, "precision": precision}
        asked = self, args, named, options
        if not is_watched():
            run = run_there(asked, graph, met, seed, stream, callback)
        else:
            with watched(self.name, met.arguments, callback) as told:
                run = run_there(asked, graph, met, seed, stream, told)
        self._finish(run, met.arguments, met.text, met.told)
        return run

    @text_of(prepared_call.prepare)
    def prepare(self, graph: Any, *args: Any, **named: Any) -> prepared_call.PreparedCall:
        return prepared_call.prepare(self, graph, *args, **named)

    @text_of(updated.update)
    def update(self, run: Run, graph: Any) -> Run:
        return updated.update(self, run, graph, ProgramFunction)

    def _refuse(self, graph: Any, arguments: Arguments, text: ProgramFunction) -> Any:
        """Refuse a run before it begins, for what no text can; return what `_finish` is told."""

    def _finish(self, run: Run, arguments: Arguments, text: ProgramFunction, told: Any) -> None:
        """Look at what came of a run, to refuse it or to warn; most programs do nothing."""

    def _met(self, graph: Any, args: Any, named: Any, backend: Any, *rest: Any) -> Met:
        """Return what a call finds before it runs, or what an equal one has found."""
        given = (*args, backend, *rest)
        found = self._calls.again(graph, given, named)
        if found is None:
            text, arguments = self._called(graph, args, named, *rest)
            told, name = self._refuse(graph, arguments, text), choose_backend(graph, backend)
            is_kept = is_settled(graph, arguments, self.bind, name)
            met = Met(graph, text, arguments, told, name, is_kept)
            found = self._calls.keep(given, named, met)
        found.text._refresh()
        return found

    def _called(
        self, graph: Any, args: Any, named: Any, schedule: Any, precision: str | None
    ) -> tuple[ProgramFunction, Arguments]:
        """Return the program whose text reads f32 as a call means it, and the sorted arguments."""
        precision = self.precision if precision is None else precision
        if precision not in self.bind:
            text = self._reading(read_as(self.name, precision))
            return text, text._calls.sorted(args, named, schedule, text._sorted)
        arguments = self._calls.sorted(args, named, schedule, self._sorted)
        field = self.bind[precision]
        kind = type_behind(graph, field, arguments.bindings.get((field.kind, field.name)))
        text = self._reading(kind)
        if text is not self:
            arguments = text._calls.sorted(args, named, schedule, text._sorted)
        return text, arguments

    def _reading(self, kind: str) -> ProgramFunction:
        """Return the program whose text reads f32 as a type; the copy is kept."""
        if kind == "f32":
            return self
        if kind not in self._widened:
            wide = Widening(kind)
            bind = {name: wide.of(field) for name, field in self.bind.items()}
            twin = ProgramFunction(wide.plain(self.python), bind, self.is_of_host, self.form)
            twin._refresh, self._widened[kind] = wide.refresh, twin
        self._widened[kind]._refresh()
        return self._widened[kind]

    @ends_at_caller
    def batch(
        self, graph: Any, values: Any, *args: Any, along: str | None = None, **named: Any
    ) -> Any:
        """Run many copies at once, each with a value of its own, and return their results stacked.

        One pass over the arcs serves many copies: the arcs are stored once, and the copies of a
        vertex lie side by side. What comes back is what a loop over the values would give; draws
        are those of runs with this ``rng``, a number. Memory for columns and queues grows with
        the copies, rounded up to a power of two (`memory_plan`); see ``docs/design/batch.md``.

        Parameters
        ----------
        values : sequence of numbers, or of lists of vertex ids
            One for each copy.
        *args, **named
            The program's other parameters, the same for all copies, and what `run` takes.
        along : str, optional
            The parameter that differs from copy to copy; by default the first after ``g``.

        Returns
        -------
        any[len(values), ...]
            For each array or number that the program returns, one with a row per value. On a GPU,
            an array there. ``run(g, emv.batch(values), ...)`` returns a `Run`.

        Raises
        ------
        ArgumentError
            If the program does what copies cannot share; the message says where and why.
        CapacityError
            If the copies do not fit; take fewer at a time.

        Examples
        --------
        >>> from emv import Graph
        >>> from emv.algorithms import sssp
        >>> g = Graph.from_edges([0, 1], [1, 2], weight=[2.0, 3.0])
        >>> sssp.batch(g, [0, 1])
        array([[ 0.,  2.,  5.],
               [inf,  0.,  3.]])
        """
        given = batch_arguments(self.python, values, args, along)
        return self.run(graph, **given, **named).result

    def _sorted(self, args: tuple[Any, ...], named: dict[str, Any], schedule: Any) -> Arguments:
        """Return the sorted arguments of a call; a host's loops are run as they are written."""
        arguments = sort_arguments(self.python, self.bind, args, named, schedule)
        asked = arguments.schedule
        if asked and not isinstance(asked.whole, BySuperstep) and self.host_loop:
            raise ArgumentError(
                f"{self.name}() is driven by the host, superstep by superstep, so schedule= has "
                "nothing to choose",
                self.loc,
                f"Leave schedule= out. {host_remedy(self.python)}",
            )
        return arguments

    def _compiled_half(self) -> Any:
        """Return what compiled runs need, whose modules are loaded when one first does."""
        if self._engine is None:
            from emv.runtime.engine import Engine

            self._engine = Engine(self.python, self.bind, self.is_of_host, self.loc)
        return self._engine

    def _shown(
        self, graph: Any, args: Any, named: Any, schedule: Any, precision: str | None
    ) -> tuple[Any, Call]:
        """Return the engine and a call of which nothing is run: what it would be, is shown."""
        check_call(self.name, graph)
        graph = formed(graph, self.form, self.name)
        return unrun(graph, *self._called(graph, args, named, schedule, precision))

    @ends_at_caller
    @renamed("0.2", seed="rng")
    def profile(
        self,
        graph: Any,
        *args: Any,
        backend: str | None = None,
        rng: Rng = 0,
        stream: Any = None,
        schedule: Any = None,
        precision: str | None = None,
        **named: Any,
    ) -> Profile:
        """Run on a graph and return where the time went, per launch and per superstep.

        The program runs twice, and the second time counts. On a GPU it is compiled from a text
        that records the end of every phase; its supersteps still need no host. On the CPU a loop
        is called for one superstep at a time, so a loop is not told apart into its launches.

        Parameters
        ----------
        *args, **named
            The program's own parameters.
        backend : {"auto", "cuda", "cuda:N", "cpu"}, optional
            Where to run; by default what the graph or ``EMV_BACKEND`` says.
        rng, stream, schedule, precision : optional
            As `run` takes them.

        Returns
        -------
        Profile
            Print it to see two tables; ``rows()`` and ``to_dict()`` give numbers, ``plot()`` a
            picture.

        Raises
        ------
        ArgumentError
            If it would run as plain Python, or its loops are driven by the host.
        EmvError
            As `run` does.

        Notes
        -----
        Bytes moved are those of a model: each element, arc and receiver counts with its ids,
        offsets and the columns that the functions read and write there. They are compared with a
        large copy that is timed in the same process.
        """
        seed = check_call(self.name, graph, rng)
        graph = formed(graph, self.form, self.name, backend)
        met = self._met(graph, args, named, backend, schedule, precision)
        if met.backend == "python":
            raise ArgumentError(
                f"{self.name}.profile() is of compiled runs, and this one is plain Python",
                remedy="Give backend='cpu' or backend='cuda'.",
            )
        call = Call(graph, met.arguments, target_of(met.backend, stream), seed)
        profile: Profile = met.text._compiled_half().profile(call)
        return profile

    @ends_at_caller
    def explain(
        self,
        graph: Any,
        *args: Any,
        schedule: Any = None,
        precision: str | None = None,
        **named: Any,
    ) -> str:
        """Return program, effects, schedule with reasons, and bytes, for a graph and arguments.

        Nothing of the program is run or compiled; where ``emv.hops("auto")`` is to choose, a
        small program is, once, to learn what parts take. ``schedule`` and ``precision``
        are as `run` takes them.
        """
        from emv.shown.pages import Explanation  # few ask for one

        engine, call = self._shown(graph, args, named, schedule, precision)
        return Explanation(engine.explain(call))

    @ends_at_caller
    def memory_plan(
        self,
        graph: Any,
        *args: Any,
        schedule: Any = None,
        precision: str | None = None,
        **named: Any,
    ) -> MemoryPlan:
        """Return how many bytes a compiled run with these arguments takes, and for what.

        Nothing is run, compiled or allocated. A run that does not fit raises `CapacityError`
        before it allocates anything. ``schedule`` and ``precision`` are as `run` takes them.

        Returns
        -------
        MemoryPlan
            ``new_bytes``, ``peak_bytes`` and the like; printed, it lists every array.
        """
        engine, call = self._shown(graph, args, named, schedule, precision)
        plan: MemoryPlan = engine.memory_plan(call)
        return plan

    @text_of(texts.source)
    def source(
        self,
        graph: Any,
        *args: Any,
        form: str = "python",
        schedule: Any = None,
        precision: str | None = None,
        **named: Any,
    ) -> str:
        return texts.source(form, *self._shown(graph, args, named, schedule, precision))
