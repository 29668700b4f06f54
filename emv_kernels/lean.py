"""What numba's compilers, for cores and for GPUs, spend time on in vain.

* Frames. CPython keeps the frames of Python functions in chunks of 16 KiB, and gives a chunk back
  to the system as soon as its last frame ends: a loop deep in a recursion whose calls cross the end
  of a chunk asks for memory and gives it back at every call. numba recurses some hundred frames
  deep and meets several such ends; that was a tenth of its time.
* Garbage. The collector looks at a million objects that all stay: another tenth.
* Flags. numba compares and hashes the flags of a function in every lookup of an operator, value by
  value, defaults included. Which values are set says as much.
* Copies. What only compiled functions call is brought into each of them, and optimised there: that
  numba optimises it by itself before, and makes machine code of it, was a third of its time. LLVM
  is at work beside numba's front end (`emv_kernels.beside`).
* Simplifications. Each function is simplified by itself, as it will be again where it is brought
  into others, by passes that are set up for it alone. Those of level 1, set up once for all
  functions of a text, take two thirds of that time, and what comes after does not take longer.
* Loops. LLVM writes the body of a loop several times over, for rows that are long; most rows of a
  graph are not, and what goes over all of an array waits for memory. A fifth of a search's LLVM.
* Locks. numba's lock is taken by each pass and each lookup of a thread that has it, and that is
  told whoever listens. Only who takes it first tells of it here, and nobody tells of LLVM's, which
  is taken for each of ten thousands of questions.
* Questions. LLVM is asked for all functions of a text, and of all texts that it calls, what each
  is; what was found out of those that it calls is remembered here.
* Linear algebra. numba finds out whether scipy has some by loading it, which takes a tenth of a
  second. Here it is told that scipy is there; who multiplies matrices has it loaded then.
* Numbers. A function that is given a number of the text was compiled for this number by itself, a
  search's 38 functions instead of 28.
* Arrays. Of the seven numbers that tell of one, five are known (`emv_kernels.cpu.spans`).

What a front end does in vain `frugal` says.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from numba import _dynfunc
from numba.core import (
    base,
    codegen,
    compiler_machinery,
    event,
    interpreter,
    ir,
    ir_utils,
    lowering,
    postproc,
    ssa,
    transforms,
    typed_passes,
    typeinfer,
    untyped_passes,
)
from numba.core.callwrapper import PyCallWrapper
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.dispatcher import _DispatcherBase, _FunctionCompiler
from numba.core.targetconfig import TargetConfig
from numba.core.types import IntegerLiteral
from numba.core.typing import context, templates

from emv_kernels import beside, frugal, garbage, patches
from emv_kernels.cpu.spans import span_of
from emv_kernels.front import Change, FrontEnd
from emv_kernels.llvm_threads import ASKED, soon

GENERATED = "emv_generated"
OURS = ("emv_kernels", GENERATED)  # how modules begin whose functions are emv's
WORDS = 2**16  # with a frame's head, a bit more than half a MiB, and so a chunk of one MiB


def with_room(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function whose calls share one large chunk of frames.

    A frame that does not fit into a chunk gets one of its own, of the next power of two in size,
    and frames that it calls share the rest: this one asks for a stack that it never uses.
    """
    return function(*args)


with_room.__code__ = with_room.__code__.replace(co_stacksize=WORDS)


@contextlib.contextmanager
def changed(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set attributes (`emv_kernels.patches`), and let the garbage collector wait."""
    with garbage.later(), patches.changed(changes):
        yield


def flag_changes(flags: Any) -> list[tuple[Any, str, Any]]:
    """Return the changes of a class of flags, numba's ``TargetConfig``: compare what is set."""
    if "_values" not in vars(flags):
        return []
    return [
        (flags, "__hash__", lambda each: hash(frozenset(each._values))),
        (flags, "__eq__", lambda each, other: each._values == other._values),
    ]


def copy_changes(context: Any) -> list[tuple[Any, str, Any]]:
    """Return the changes of a class of targets, numba's ``CPUContext``: only link what is copied.

    That is a function without a form for Python, so nothing may ask for its machine code.
    """
    make = vars(context)["get_executable"]

    def executable(self: Any, library: Any, described: Any, environment: Any) -> Any:
        if not is_only_called(library, described):
            library.is_numbas = not described.modname.startswith(OURS)
            if library.is_numbas or not beside.is_later(library, described):
                return make(self, library, described, environment)
            library.begin(functools.partial(make, self, library, described, environment))
        else:
            library.end()
            if is_by_itself(library, described):
                library.make(described.llvm_func_name)
        name = described.qualname.split(".")[-1]
        keeps = (library,)
        return _dynfunc.make_function(
            described.lookup_module(), name, described.qualname, 0, environment, keeps
        )

    return [(context, "get_executable", executable)]


def is_only_called(library: Any, described: Any) -> bool:
    """Return whether only compiled functions call a function, and nothing needs its address now."""
    is_begun = isinstance(library, beside.Library) and not library._finalized
    has_form_for_python = is_begun and described.llvm_cpython_wrapper_name in library.names
    return is_begun and not library.is_recursive and not has_form_for_python


def is_by_itself(library: Any, described: Any) -> bool:
    """Return whether machine code is made of a function before that of those that call it.

    Those of the kernels here are short, or belong into a loop.
    """
    is_generated = described.modname.startswith(GENERATED)
    return is_generated and not described.inline and bool(library.is_long())


def argument_changes(dispatcher: Any, compiler: Any) -> list[Change]:
    """Return the changes of numba's ``Dispatcher``: a function is compiled once for all numbers.

    A number in the text of a caller has a type of its own, for which numba compiles each function
    that it is given to again. Where the function is brought into its caller, LLVM sees the number.
    And arrays are handed on as spans (`emv_kernels.cpu.spans`), where nobody counts references.
    """
    look_up, compile_core = vars(dispatcher)["get_call_template"], vars(compiler)["_compile_core"]

    def get_call_template(self: Any, args: Any, kws: Any) -> Any:
        if self.py_func.__module__.startswith(OURS):
            args = tuple(map(without_number, args))
            if takes_spans(self):
                args = tuple(map(span_of, args))
        return look_up(self, args, kws)

    def compile_for(self: Any, args: Any, return_type: Any) -> Any:
        know_all(self.targetdescr.target_context)
        if not takes_spans(self):
            return compile_core(self, args, return_type)
        compiled = compile_core(self, tuple(map(span_of, args)), return_type)
        told = templates.signature(compiled.signature.return_type, *args)  # Python gives arrays
        return compiled._replace(signature=told)

    return [
        (dispatcher, "get_call_template", get_call_template),
        (compiler, "_compile_core", compile_for),
    ]


def takes_spans(function: Any) -> bool:
    """Return whether a function of ours, or its compiler, counts no references."""
    is_ours = function.py_func.__module__.startswith(OURS)
    return is_ours and function.targetoptions.get("_nrt") is False


def simplified(self: Any, module: Any) -> None:
    """Simplify the functions of a text: in place of numba's ``_optimize_functions``."""
    module.data_layout = self._codegen._data_layout
    passes, builder = self._codegen._function_pass_manager(
        opt=1, loop_vectorize=False, slp_vectorize=False
    )
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def acquire(self: Any) -> None:
    """Take numba's lock, and tell of it if this thread had not got it: for ``_CompilerLock``."""
    if not self.is_locked():
        event.start_event("numba:compiler_lock")
    self._lock.acquire()


def release(self: Any) -> None:
    """Let go of numba's lock, and tell of it if this thread has not got it any more."""
    self._lock.release()
    if not self.is_locked():
        event.end_event("numba:compiler_lock")


def linear_algebra(linalg: Any) -> list[Change]:
    """Return the change of numba's module of linear algebra: scipy is looked for, not loaded.

    numba asks once, when it loads what its compilers know, and again where it compiles a product.
    """

    def ensure_blas() -> None:
        import scipy  # noqa: F401 - raises what numba expects

    return [(linalg, "ensure_blas", ensure_blas)]


def registry_changes(context: Any) -> list[Change]:
    """Return the change of a class of targets: it loads what numba's compilers know without scipy.

    Linear algebra, too, is not loaded before, as what was kept needs nothing of all this.
    """
    load = vars(context)["load_additional_registries"]

    def load_additional_registries(self: Any) -> None:
        from numba.np import linalg

        with patches.changed(linear_algebra(linalg)):
            load(self)

    return [(context, "load_additional_registries", load_additional_registries)]


@functools.cache
def know_all(context: Any) -> None:
    """Let numba load all that its compilers know, before it first looks at what it knows of types.

    It does so where it looks for what is kept, which is done without here.
    """
    context.refresh()


def without_number(kind: Any) -> Any:
    """Return the type of whole numbers in place of that of one of them."""
    return kind.literal_type if isinstance(kind, IntegerLiteral) else kind


def for_cores(compile_now: Callable[..., Any], *args: Any) -> Any:
    """Call what lets numba compile for cores, without what it does in vain."""
    from emv_kernels.cpu.span_code import build_wrapper  # what is compiled needs it, not all do

    changes = [*flag_changes(TargetConfig), *COPIES, *SIMPLE, *ASKED, *ARGUMENTS]
    changes += [*frugal.changes(FRONT), frugal.without_ends(FRONT), *REGISTRIES]
    changes += [(PyCallWrapper, "build_wrapper", build_wrapper)]
    with global_compiler_lock, changed(changes), soon():
        return with_room(compile_now, *args)


COPIES = copy_changes(CPUContext)
SIMPLE: list[Change] = [
    (CPUCodeLibrary, "_optimize_functions", simplified),
    (codegen, "create_pass_builder", beside.pass_builder),
    (codegen.JITCPUCodegen, "_library_class", beside.Library),
    (type(global_compiler_lock), "acquire", acquire),
    (type(global_compiler_lock), "release", release),
]
REGISTRIES = registry_changes(CPUContext)
ARGUMENTS = argument_changes(_DispatcherBase, _FunctionCompiler)
FRONT = FrontEnd(
    context,
    templates,
    base,
    ir,
    postproc,
    ssa,
    transforms,
    context.BaseContext,
    compiler_machinery,
    typed_passes,
    untyped_passes,
    ir_utils,
    event,
    interpreter,
    lowering,
    typeinfer,
)
