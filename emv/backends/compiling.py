"""How long numba compiles, and what it says when it cannot, in the user's terms.

numba compiles a function when it is first called with new types. A listener on its events tells
that time from the time of the run. An error of numba names lines of a generated file; the map of
lines in `KernelSource` leads from there to the user's.
"""

from __future__ import annotations

import functools
import linecache
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from types import ModuleType
from typing import Any

import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from emv.errors import CompileError, Loc
from emv.ir.kernel import KernelSource
from emv_kernels.aside import leavable
from emv_kernels.entries import compile_for
from emv_kernels.lean import for_cores

MOST_LINES = 3  # lines of numba's message that are shown

Coming = Callable[[], Iterable[tuple[str, Sequence[Any]]]]
"""Gives names of functions that are probably called next, and what they take."""


class CompileClock(event.Listener):
    """Adds up the seconds in which numba compiles, or reads what it compiled before."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        """Begin, unless inside another compilation."""
        if self._depth == 0:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """End the outermost compilation; one of which nobody told the beginning has none."""
        if self._depth == 1:
            self.seconds += time.perf_counter() - self._started
        self._depth = max(0, self._depth - 1)


CLOCK = CompileClock()
event.register("numba:compiler_lock", CLOCK)


def call(
    module: ModuleType, name: str, arrays: Sequence[Any], source: KernelSource, files: Iterable[str]
) -> Any:
    """Call a generated function; see `ready`."""
    return ready(module, name, arrays, source, files)(arrays)


def ready(
    module: ModuleType,
    name: str,
    arrays: Sequence[Any],
    source: KernelSource,
    files: Iterable[str],
    coming: Coming = tuple,
) -> Callable[[Sequence[Any]], Any]:
    """Return what calls a generated function, which is compiled now if it is new.

    It is kept for all calls, as to ask numba of a function takes as long as to call it.

    Parameters
    ----------
    module : module
        What `emv.backends.cpu.load` returned.
    name : str
        Which function.
    arrays : sequence
        What it takes, or others of the same types.
    source : KernelSource
        What the module was made of.
    files : iterable of str
        Paths of the user's files, of which the generated text has only the names.
    coming : callable, optional
        Gives what numba may go on with while LLVM is at work on it.

    Raises
    ------
    CompileError
        If numba cannot translate it.
    """
    function: Any = getattr(module, name)
    if not isinstance(function, Dispatcher):  # plain Python stands in for kernels in tests
        return lambda arrays: function(*arrays)
    if not function.overloads:
        compile_now(function, arrays, module, source, files, coming)
    return functools.partial(call_ready, function, module, source, files)


def call_ready(
    function: Any, module: ModuleType, source: Any, files: Any, arrays: Sequence[Any]
) -> Any:
    """Call a compiled function, which is compiled anew where arrays are of other types."""
    try:
        return function(*arrays)
    except TypeError:  # compiled for other types, and told to compile nothing while called
        if function.overloads.keys() & {types_of(arrays)}:
            raise
    compile_now(function, arrays, module, source, files)
    return function(*arrays)


def compile_now(
    function: Any,
    arrays: Sequence[Any],
    module: ModuleType,
    source: Any,
    files: Any,
    coming: Coming = tuple,
) -> None:
    """Compile a function for the types of some arrays; an error is told at the user's line."""
    following = ((getattr(module, name), types_of(given)) for name, given in coming())
    try:
        compile_kernel(function, types_of(arrays), following)
    except Exception as error:
        raise compile_error(error, source, str(module.__file__), files) from None


def types_of(arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return what numba calls the types of some arrays."""
    return tuple(map(numba.typeof, arrays))


def compile_kernel(
    function: Any, types: tuple[Any, ...], following: Iterable[tuple[Any, Any]]
) -> None:
    """Let numba compile a function, or read what it has kept; signals are heard meanwhile.

    A compilation that somebody no longer waits for goes on, and is found when it is asked for.
    """

    def work() -> None:
        with global_compiler_lock:
            for_cores(compile_for, function, types, following)
            function.disable_compile()  # while it is called, in the midst of a run

    leavable(work)


def compile_error(
    error: Exception, source: KernelSource, path: str, files: Iterable[str]
) -> CompileError:
    """Return the error that names the user's line, in place of numba's."""
    line = generated_line(error, path)
    loc = user_loc(line, source, files)
    place = path if line is None else f"{path}:{line}"
    return CompileError(
        f"{source.name}: numba cannot compile this: {short_message(error)}",
        loc,
        f"The generated line is {place}. Write it another way, or run with backend='python'.",
    )


def generated_line(error: Exception, path: str) -> int | None:
    """Return the innermost line of the generated file that numba's message names."""
    name = re.escape(PurePath(path).name)
    match = re.search(rf'{name}(?:", line | \()(\d+)', str(error))
    if match:
        return int(match[1])
    found = getattr(getattr(error, "loc", None), "line", None)
    return None if found is None else int(found)


def user_loc(line: int | None, source: KernelSource, files: Iterable[str]) -> Loc | None:
    """Return the user's line behind a generated one, or behind the nearest above it."""
    known = [number for number in source.lines if line is not None and number <= line]
    first = function_above(line, source)
    if not known or max(known) < first:
        return None
    name, number = source.lines[max(known)]
    file = next((each for each in files if PurePath(each).name == name), name)
    text = linecache.getline(file, number).rstrip("\n")
    indent = len(text) - len(text.lstrip())
    return Loc(file, number, indent, len(text), source.name, text)


def function_above(line: int | None, source: KernelSource) -> int:
    """Return the line at which the function around a generated line begins."""
    above = source.text.splitlines()[: line or 0]
    starts = [number for number, text in enumerate(above, 1) if text.startswith("def ")]
    return max(starts, default=1)


def short_message(error: Exception) -> str:
    r"""Return what numba says first, without its frames and candidates.

    Examples
    --------
    >>> short_message(ValueError("Failed in nopython mode pipeline (step: x)\nno foo\n\nFile x"))
    'no foo'
    """
    said = []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines():
        words = line.strip().removeprefix(">>> ")
        if words.startswith(("File ", "During: ", "There are ", "There is ")):
            break
        if words and not re.match(r"Failed in \w+ mode pipeline", words):
            said.append(words)
    return " ".join(said[:MOST_LINES]) or type(error).__name__
