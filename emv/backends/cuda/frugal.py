"""What numba-cuda's front end does in vain for the functions that emv gives it.

Typing and lowering are Python, and take most of a compilation. What is left out here cannot be seen
in the code that comes out, byte for byte (`tests/unit/backends/test_cuda_frugal.py`).

* Answers. An operator or a function of numba's is looked for among all its templates wherever it
  stands, though the answer follows from the types. It is kept while a program is compiled.
* Values. The type of a constant, a function or an operator of Python's is found anew wherever it
  stands, and the signature of what numba itself is written in wherever it is called.
* Registries. All are gone through for every function, to find what somebody has registered since.
  How many entries they have says whether there is anything.
* Lifetimes. Which variables live where blocks begin is worked out after each pass, and only
  generators ask for it. What a statement names is found by asking all that it holds for its kind.
* Closures, lists and words in kernels, which no text has, are looked for by two passes; and what a
  third one does is told, a hundred thousand times, to a log that nobody keeps.
* BLAS. scipy's linear algebra is loaded to see whether it is there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from numba.core import types
from numba.core.types.functions import BaseFunction
from numba.cuda.core import base, ir, postproc, ssa, transforms, typed_passes, untyped_passes
from numba.cuda.core.ir_utils import fixup_var_define_in_scope
from numba.cuda.target import CUDATypingContext
from numba.cuda.typing import context as typing
from numba.cuda.typing import templates

LISTS = ("build_list", "make_function")
"""The operations without which a text has neither closures nor arrays of entries in a row."""

WORDS = (types.StringLiteral, types.List)
"""The types without which nothing is looked up by a word, and no list becomes an array."""


def changes() -> list[tuple[Any, str, Any]]:
    """Return what to change of numba-cuda while it compiles one program."""
    counts: dict[int, int] = {}
    busy: set[int] = set()
    return [
        (BaseFunction, "get_call_type", kept_answers(vars(BaseFunction)["get_call_type"])),
        (CUDATypingContext, "resolve_value_type", kept_types()),
        (base, "_has_loc", kept_has_loc()),
        (templates, "inspect", Signatures()),
        *((each, "refresh", where_new(vars(each)["refresh"], counts, busy)) for each in CONTEXTS),
        (postproc.PostProcessor, "run", run),
        (ir.Inst, "_rec_list_vars", names_in),
        (ssa, "_logger", SILENT),
        (untyped_passes.InlineClosureLikes, "run_pass", without_lists),
        (typed_passes.NopythonRewrites, "run_pass", without_words),
    ]


def kept_answers(look_up: Callable[..., Any]) -> Callable[..., Any]:
    """Return the look-up of numba's functions by types, which asks for the same only once."""
    found: dict[tuple[int, ...], tuple[Any, ...]] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return look_up(self, context, args, kws)
        key = (id(self), id(context), *map(id, args))  # one object stands for a type while it lives
        kept = found.get(key)
        if kept is None:
            kept = found[key] = look_up(self, context, args, kws), self, context, args
        return kept[0]

    return get_call_type


def kept_types() -> Callable[..., Any]:
    """Return the look-up of types by values, which asks for the same value only once."""
    found: dict[tuple[int, int], tuple[Any, ...]] = {}
    look_up = vars(CUDATypingContext)["resolve_value_type"]

    def resolve_value_type(self: Any, val: Any) -> Any:
        key = id(self), id(val)
        kept = found.get(key)
        if kept is None:
            kept = found[key] = look_up(self, val), self, val  # which live, so ids are theirs
        return kept[0]

    return resolve_value_type


def kept_has_loc() -> Callable[[Any], bool]:
    """Return what says whether a function of numba's takes a place in the text."""
    found: dict[int, tuple[bool, Any]] = {}
    look = vars(base)["_has_loc"]

    def has_loc(function: Any) -> bool:
        kept = found.get(id(function))
        if kept is None:
            kept = found[id(function)] = look(function), function
        return kept[0]

    return has_loc


class Signatures:
    """The module `inspect`, which finds out the signature of functions of one text once."""

    def __init__(self) -> None:
        self.found: dict[Any, inspect.Signature] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(inspect, name)

    def signature(self, function: Any) -> inspect.Signature:
        """Return the signature of a function."""
        code = getattr(function, "__code__", None)
        is_plain = type(function) is FunctionType and not (
            function.__defaults__ or function.__kwdefaults__ or vars(function)
        )
        if not is_plain or function.__annotations__:
            return inspect.signature(function)
        kept = self.found.get(code)
        if kept is None:
            kept = self.found[code] = inspect.signature(function)
        return kept


def where_new(
    refresh: Callable[..., Any], counts: dict[int, int], busy: set[int]
) -> Callable[..., None]:
    """Return the method that takes over what was registered, called only where something was.

    What is registered while entries are taken over, as attributes are when a context first meets
    them, waits for the next call: each would have all registries gone through.
    """

    def refresh_if_new(self: Any) -> None:
        if counts.get(id(self)) != registered(self) and not (busy and id(self) in counts):
            counts.setdefault(id(self), 0)
            busy.add(id(self))
            refresh(self)
            busy.discard(id(self))
            counts[id(self)] = registered(self)

    return refresh_if_new


def registered(context: Any) -> int:
    """Return how many entries there are in the registries of a context, and of the one below it."""
    lists = [
        len(each)
        for registry in context._registries
        for each in vars(registry).values()
        if isinstance(each, list)
    ]
    below = getattr(context, "typing_context", None)
    return sum(lists) + (0 if below is None else registered(below))


def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do as `PostProcessor.run`, without what lives where blocks begin, unless of a generator."""
    if self.func_ir.is_generator:
        RUN(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


def names_in(self: Any, value: Any) -> list[Any]:
    """Do as `Inst._rec_list_vars`, which returns the variables in a value, with fewer questions."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in PLAIN:
        return []
    if kind is dict:
        value = value.values()
    elif kind is not list and kind is not tuple:
        return list(NAMES_IN(self, value))
    return [name for each in value if type(each) not in PLAIN for name in names_in(self, each)]


def without_lists(self: Any, state: Any) -> bool:
    """Inline closures and arrays of lists, where a function may have any."""
    if has_lists(state):
        return bool(INLINE(self, state))
    postproc.PostProcessor(state.func_ir).run()
    fixup_var_define_in_scope(state.func_ir.blocks)
    return True


def without_words(self: Any, state: Any) -> bool:
    """Look up words and make arrays of lists, where a function may have any."""
    has_any = any(isinstance(each, WORDS) for each in state.typemap.values())
    return bool(REWRITE(self, state)) if has_any else True


def has_lists(state: Any) -> bool:
    """Return whether a function may have closures, or arrays that are written as lists."""
    return any(
        isinstance(each, ir.Assign) and getattr(each.value, "op", "") in LISTS
        for block in state.func_ir.blocks.values()
        for each in block.body
    )


CONTEXTS = (typing.BaseContext, base.BaseContext)
PLAIN = (ir.Loc, str, int, bool, float, type(None))
RUN = vars(postproc.PostProcessor)["run"]
NAMES_IN = vars(ir.Inst)["_rec_list_vars"]
INLINE = vars(untyped_passes.InlineClosureLikes)["run_pass"]
REWRITE = vars(typed_passes.NopythonRewrites)["run_pass"]
SILENT = SimpleNamespace(debug=lambda *_: None)
