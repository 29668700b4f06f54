"""What Python calls of a program, compiled one after the other while LLVM is at work.

A run calls its functions in an order that is known. Where it waits for LLVM to make one of them,
numba's front end goes on with those that follow, so that most of LLVM's work is done beside it. It
goes no further than it would have to wait, as a run may not come to all of them. numba's own
``compile`` waits at its end: what that does behind the front end is done here when the function is
asked for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from emv_kernels import beside
from emv_kernels.beside import Library
from emv_kernels.llvm_threads import help_until

Types = tuple[Any, ...]


class Lowered(NamedTuple):
    """What numba's front end gives of a function, whose machine code LLVM makes.

    Attributes
    ----------
    result : CompileResult
        Without what Python calls, if the code says how that is made.
    code : Library
    """

    result: Any
    code: Any

    def is_made(self) -> bool:
        """Return whether nobody would wait for LLVM."""
        return not isinstance(self.code, Library) or self.code.is_made()

    def end(self, function: Any, types: Types) -> None:
        """Wait for LLVM, and let Python call the function."""
        result, code = self
        if isinstance(code, Library) and code.later is not None:
            code.load()
            result = result._replace(entry_point=code.later())
        known(function, result)
        function._cache.save_overload(types, result)


AHEAD = "_lowered_ahead"
"""Where functions keep what has been lowered of them and nobody has asked for yet, by types."""


def compile_for(function: Any, types: Types, following: Iterable[tuple[Any, Types]] = ()) -> None:
    """Let numba compile a function, or read what it has kept, for some types.

    Parameters
    ----------
    function : Dispatcher
        One that is called by nothing that is compiled.
    types : tuple of Type
        Of its arguments.
    following : iterable of (Dispatcher, tuple of Type)
        What is probably asked for next. An error of one of them is told when it is asked for.
    """
    asked = lowered(function, types)
    if asked is None:
        return
    for other, others in following:
        help_until(asked.is_made)
        if asked.is_made():
            break
        with contextlib.suppress(Exception):
            found = lowered(other, others)
            if found is not None:
                vars(other).setdefault(AHEAD, {})[others] = found
    asked.end(function, types)


def lowered(function: Any, types: Types) -> Lowered | None:
    """Let numba lower a function; return None if Python can call it already, or now."""
    if types in function.overloads:
        return None
    ahead: Lowered | None = vars(function).get(AHEAD, {}).pop(types, None)
    if ahead is not None:
        return ahead
    kept = function._cache.load_overload(types, function.targetctx)
    if kept is not None:
        known(function, kept)
        return None
    beside.LATER.append((function.py_func.__module__, function.py_func.__qualname__))
    try:
        with function._compiling_counter:  # which tells it that what it calls may be itself
            result = function._compiler.compile(types, None)
    finally:
        beside.LATER.pop()
    return Lowered(result, code_of(result))


def known(function: Any, result: Any) -> None:
    """Let Python, and what is compiled later, call a function."""
    context = function.targetctx
    context.insert_user_function(result.entry_point, result.fndesc, [code_of(result)])
    function.add_overload(result)


def code_of(result: Any) -> Any:
    """Return what numba keeps of a function's code."""
    return result._asdict()["library"]
