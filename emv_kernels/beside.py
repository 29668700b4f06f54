"""LLVM's part of a compilation, on threads of its own, while numba's front end goes on in Python.

Two fifths of a first call were LLVM's, and the front end waited for it. Here a library of numba's
keeps the texts that functions are lowered to, and makes nothing of them. A long one, as phases of
programs are, becomes an object as soon as it is lowered; who calls it knows its name. What Python
calls is an object, too. The rest is brought into the objects of those that call it. numba's engine
loads the objects, and they are what is kept. What calls itself, in a circle or not, is compiled as
numba does it, and so is what users compile with it, of which it keeps files of its own.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import Any, NamedTuple

from llvmlite import binding as llvm
from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba.core import cgutils, config
from numba.core.codegen import CodeLibrary, CPUCodegen, JITCodeLibrary

from emv_kernels.llvm_threads import begin, outcome

DYNAMIC = "numba.dynamic.globals"  # how it calls what no other process has
UNRESOLVED = ".numba.unresolved$"  # how numba calls the address of what is not compiled yet
SHARED = "linkonce_odr"  # a definition that is dropped where nobody calls it
KIND = "objects"  # of what is kept
LONG = 20_000  # letters of a text of which an object by itself is made; each costs 10 ms
IDLE: list[Machine] = []
LOADED: set[str] = set()
LATER: list[tuple[str, str]] = []  # modules and names of what Python calls, but not at once


class Built(NamedTuple):
    """What LLVM has made of a function and of what is brought into it.

    Attributes
    ----------
    names : tuple of str
        Under which it is called.
    object : bytes
        Machine code.
    bits : bytes
        LLVM's code before that.
    bound : list of str
        What it names that no other process has, so that it cannot be kept.
    """

    names: tuple[str, ...]
    object: bytes
    bits: bytes
    bound: list[str]


class Machine:
    """What a thread asks of LLVM, with numba's passes; a `TargetMachine` serves one thread."""

    _module_pass_manager = CPUCodegen._module_pass_manager
    _function_pass_manager = CPUCodegen._function_pass_manager

    def __init__(self, codegen: Any) -> None:
        options: dict[str, Any] = {"opt": config.OPT}
        codegen._customize_tm_options(options)
        target = llvm.Target.from_triple(llvm.get_process_triple())
        self._tm = target.create_target_machine(**options)
        self.cheap = {
            "cost": "cheap",
            "loop_vectorize": codegen._loopvect,
            "slp_vectorize": False,
            "opt": codegen._opt_level,
        }
        self.layout = codegen._data_layout

    def _pass_builder(self, **options: Any) -> Any:
        """Return LLVM's passes; what numba's own are at the time is for others to change."""
        vectors = {"loop_vectorize": config.LOOP_VECTORIZE, "slp_vectorize": config.SLP_VECTORIZE}
        return pass_builder(self._tm, **{"opt": config.OPT, **vectors, **options})

    def simplified(self, texts: list[str], names: dict[str, bool]) -> bytes:
        """Return a module of some texts, whose functions are each simplified by themselves."""
        context = llvm.create_context()
        with closing(llvm.parse_assembly(texts[0], context)) as whole:
            for text in texts[1:]:
                whole.link_in(llvm.parse_assembly(text, context))
            whole.verify()
            whole.data_layout = self.layout
            options = {"opt": 1, "loop_vectorize": False, "slp_vectorize": False}
            passes, builder = self._function_pass_manager(**options)
            with closing(builder), closing(passes):
                for name, is_found in names.items():
                    function = whole.get_function(name)
                    passes.run(function, builder)
                    function.linkage = SHARED if is_found else function.linkage
            return bytes(whole.as_bitcode())

    def built(self, names: tuple[str, ...], parts: list[bytes]) -> Built:
        """Return what is made of the first module, into which others are brought."""
        context = llvm.create_context()
        with closing(linked(parts, context)) as whole:
            for name in names:
                whole.get_function(name).linkage = "external"
            for options in (self.cheap, {}):
                passes, builder = self._module_pass_manager(**options)
                with closing(builder), closing(passes):
                    passes.run(whole, builder)
            whole.verify()
            bits, bound = bytes(whole.as_bitcode()), list[str]()
            if DYNAMIC.encode() in bits:
                known = (each.name for each in whole.global_variables)
                bound = [each for each in known if each.startswith(DYNAMIC)]
            return Built(names, bytes(self._tm.emit_object(whole)), bits, bound)


def pass_builder(
    tm: Any, opt: Any = 2, loop_vectorize: bool = False, slp_vectorize: bool = False
) -> Any:
    """Return LLVM's passes, none of which writes a loop out: numba's ``create_pass_builder``."""
    options = create_pipeline_tuning_options(opt)
    options.slp_vectorization = slp_vectorize
    options.loop_vectorization = loop_vectorize
    options.loop_unrolling = False
    options.loop_interleaving = False
    return create_pass_builder(tm, options)


def linked(parts: list[bytes], context: Any = None) -> Any:
    """Return the first of some modules, into which the others are brought."""
    whole, *others = (llvm.parse_bitcode(each, context) for each in parts)
    for each in others:
        whole.link_in(each)
    return whole


@contextlib.contextmanager
def lent(codegen: Any) -> Iterator[Machine]:
    """Lend a thread something to ask of LLVM, made now where all are lent."""
    try:
        machine = IDLE.pop()
    except IndexError:
        machine = Machine(codegen)
    yield machine
    IDLE.append(machine)


class Library(JITCodeLibrary):
    """What one function is lowered to, and the libraries of those that it calls.

    Attributes
    ----------
    texts : list of str
        LLVM's code.
    names : dict
        Of functions that they define, and whether others find them.
    making : Future or None
        Of a `Built`, where machine code is made of it.
    is_alone : bool
        Whether others call it, and do not take its code in.
    is_numbas : bool
        Whether numba makes machine code of it: its own, and others, read what is kept of it.
    others : list of Built
        What it calls of others that are by themselves, where it was read from a file.
    later : callable or None
        Makes what Python calls of it, where it waits for that.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        CodeLibrary.__init__(self, codegen, name)
        self._linking_libraries: list[Any] = []
        self._shared_module: Any = None
        self._compiled, self._compiled_object = False, None
        self.texts: list[str] = []
        self.names: dict[str, bool] = {}
        self.asks_later = False
        self.bits = b""
        self.making: Future[Built] | None = None
        self.is_alone = False
        self.is_numbas = False
        self.others: list[Built] = []
        self.later: Callable[[], Any] | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        """Keep what a function is lowered to."""
        self._raise_if_finalized()
        self.asks_later |= any(each.startswith(UNRESOLVED) for each in ir_module.globals)
        for function in ir_module.functions:
            if not function.is_declaration:
                self.names[function.name] = function.linkage in ("", "external")
        self.texts.append(cgutils.normalize_ir_text(str(ir_module)))

    @functools.cached_property
    def is_recursive(self) -> bool:
        """Whether it, or what it calls, calls what is not compiled yet."""
        return self.asks_later or any(is_recursive(each) for each in self._linking_libraries)

    def finalize(self) -> None:
        """Make machine code of it, and load it."""
        if self.is_numbas or self.is_recursive:
            super().finalize()
        else:
            self.begin(None)
            self.load()

    def begin(self, later: Callable[[], Any] | None) -> None:
        """Begin to make an object of it, in which others find all of it."""
        self.end()
        self.later = later
        self.making = self.begun([name for name, is_found in self.names.items() if is_found])

    def end(self) -> None:
        """Take nothing more in."""
        for each in self._linking_libraries:
            self._reload_init.update(each._reload_init)
        self._finalized = True

    def is_long(self) -> bool:
        """Return whether machine code of it alone is worth the time that a text takes besides."""
        return sum(map(len, self.texts)) >= LONG

    def make(self, name: str) -> None:
        """Begin to make an object of it, in which others find one function."""
        self.is_alone = True
        self.making = self.begun([name])

    def begun(self, names: list[str]) -> Future[Built]:
        """Let LLVM make an object, in which others find some functions."""
        parts = [part_of(each) for each in (self, *called_by(self, is_brought_in))]

        def work() -> Built:
            with lent(self._codegen) as machine:
                return machine.built(tuple(names), [each(machine) for each in parts])

        return begin(work)

    def simplified(self, machine: Machine) -> bytes:
        """Return its own code, each function of which is simplified by itself."""
        self.bits = self.bits or machine.simplified(self.texts, self.names)
        return self.bits

    @property
    def has_dynamic_globals(self) -> bool:
        """Whether it names what no other process has."""
        if self.making is None:
            return bool(super().has_dynamic_globals)
        return any(each.bound for each in (self.made(), *self.objects()))

    def load(self) -> None:
        """Let numba's engine load the object, and those of all that it calls."""
        engine = self._codegen._engine
        for each in [*self.objects(), self.made()]:
            if not LOADED.issuperset(each.names):
                engine._ee.add_object_file(llvm.ObjectFileRef.from_data(each.object))
                LOADED.update(each.names)
                engine._defined_symbols.update(each.names)
        engine.finalize_object()

    def made(self) -> Built:
        """Return what was made of it."""
        assert self.making is not None
        found: Built = outcome(self.making)
        return found

    def is_made(self) -> bool:
        """Return whether nobody would wait for it and what it calls."""
        libraries = [self, *called_by(self)]
        known = [each.making for each in libraries if isinstance(each, Library)]
        return all(each.done() for each in known if each is not None)

    def objects(self) -> list[Built]:
        """Return the objects of what it calls that is by itself."""
        found = list(self.others)
        for each in called_by(self):
            if isinstance(each, Library):
                found += each.others
                found += [each.made()] if each.is_alone else []
        return found

    def serialize_using_object_code(self) -> Any:
        """Return what is kept of it."""
        if self.making is None:
            return super().serialize_using_object_code()
        return self.name, KIND, (self.made(), [each._replace(bits=b"") for each in self.objects()])

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        """Return a library of what was kept, which is loaded."""
        name, kind, kept = state
        if kind != KIND:
            return super()._unserialize(codegen, state)
        self = codegen.create_library(name)
        built, self.others = kept
        self.making = Future()
        self.making.set_result(built)
        self.load()
        self._finalized = True
        return self

    @functools.cached_property
    def _final_module(self) -> Any:
        """Its code, for numba's own way, and for those who ask for it."""
        if self.making is not None:
            return linked([self.made().bits])
        if not self.texts:
            return llvm.parse_assembly(str(self._codegen._create_empty_module(self.name)))
        with lent(self._codegen) as machine:
            whole = linked([self.simplified(machine)])
        for name, is_found in self.names.items():
            if is_found:
                whole.get_function(name).linkage = "external"
        whole.name = cgutils.normalize_ir_text(self.name)
        return whole

    def _get_module_for_linking(self) -> Any:
        """Return its code and that of all that it calls, for libraries of numba's own."""
        if self._shared_module is None and self.texts and not self._compiled:
            parts = [part_of(each) for each in (self, *called_by(self))]
            with lent(self._codegen) as machine:
                self._shared_module = linked([each(machine) for each in parts])
        return super()._get_module_for_linking()


def is_recursive(library: Any) -> bool:
    """Return whether a library, or one that it calls, calls what is not compiled yet."""
    return isinstance(library, Library) and library.is_recursive


def part_of(library: Any) -> Callable[[Machine], bytes]:
    """Return what gives a library's code on LLVM's thread."""
    if isinstance(library, Library) and library.texts and not library._compiled:
        return library.simplified
    bits = bytes(library._get_module_for_linking().as_bitcode())
    return lambda machine: bits


def is_later(library: Any, described: Any) -> bool:
    """Return whether nobody waits for what Python calls of a function, or not yet."""
    is_asked = (described.modname, described.qualname) in LATER
    return is_asked and isinstance(library, Library) and not library.is_recursive


def is_brought_in(library: Any) -> bool:
    """Return whether a library becomes part of the objects of those that call it."""
    return not getattr(library, "is_alone", False)


def called_by(library: Any, counts: Callable[[Any], bool] = lambda library: True) -> list[Any]:
    """Return all libraries that one calls, itself or through others, of those that count."""
    found, waiting = dict[Any, None](), [library]
    while waiting:
        for each in waiting.pop()._linking_libraries:
            if each not in found and counts(each):
                found[each] = None
                waiting.append(each)
    return list(found)
