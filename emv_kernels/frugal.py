"""What numba's front ends, of cores and of GPUs, do in vain for the functions that emv gives them.

Typing and lowering are Python, and take most of a compilation. What is left out here cannot be seen
in the code that comes out (`tests/unit/kernels/test_frugal.py`). Of what comes before types are
known, `emv_kernels.reading` says the same.

* Answers. An operator or a function of numba's is looked for among all its templates wherever it
  stands, though the answer follows from the types. It is kept while a program is compiled.
* Calls. All of a function are typed anew until no type changes any more, which is twice. Whose
  function and arguments have the types they had is not asked again.
* Attributes. Where one is written, as ``np.int64`` is, all templates for its owner are asked.
* Values. The type of a constant, a function or an operator of Python's is found anew wherever it
  stands, and the signature of what numba itself is written in wherever it is called.
* Sizes. That of a type is found out by having LLVM read a text with a variable of it, for every
  argument of a function; it is kept.
* Registries. All are gone through for every function, to find what somebody has registered since.
  How many entries they have says whether there is anything.
* Errors. Each statement is a context of errors, and of warnings, that a generator makes.
* Passes. Before each, what is compiled is spelled out for whoever listens, and behind each, the
  branches of the function are put in order and it is looked through for what passes leave behind.
  That is left out where nobody listens, and behind those that write LLVM's text.
* Rewrites. Where nobody counts references no array is made, neither of a list nor of a sum of
  arrays.
* Variables. Whether one is set once only is asked of all statements of a block, for each variable.
* Ends. Where each variable ends is asked by who counts references.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
from collections import Counter
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core.types.functions import BaseFunction

from emv_kernels import reading
from emv_kernels.front import Change, FrontEnd


def changes(front: FrontEnd) -> list[Change]:
    """Return what to change of a front end while it compiles one program."""
    counts: dict[int, int] = {}
    busy: set[int] = set()
    contexts = front.context.BaseContext, front.base.BaseContext
    errors = front.machinery.errors
    told = context_of(errors)
    return [
        *reading.changes(front),
        (BaseFunction, "get_call_type", kept_answers(vars(BaseFunction)["get_call_type"])),
        (front.typeinfer.CallConstraint, "resolve", kept_calls(front.typeinfer.CallConstraint)),
        (front.context.BaseContext, "resolve_getattr", kept_attributes(front.context.BaseContext)),
        (front.typing_context, "resolve_value_type", kept_types(front.typing_context)),
        (front.base, "_has_loc", kept_has_loc(front.base)),
        (front.base.BaseContext, "get_abi_sizeof", kept_sizes(front.base.BaseContext)),
        (front.templates, "inspect", Signatures()),
        *((each, "refresh", where_new(vars(each)["refresh"], counts, busy)) for each in contexts),
        (front.machinery.PassManager, "_runPass", run_pass(front)),
        (front.typed.NopythonRewrites, "run_pass", without_words(front)),
        (errors.WarningsFixer, "catch_warnings", lambda *_, **__: NOTHING),
        (front.lowering.Lower, "_find_singly_assigned_variable", singly_assigned(front)),
        *((each, "new_error_context", told) for each in (front.lowering, front.typeinfer)),
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


def kept_calls(constraint: Any) -> Callable[..., None]:
    """Return what finds the type of a call, again only where other types come in."""
    resolve = vars(constraint)["resolve"]

    def resolve_if_new(self: Any, typeinfer: Any, typevars: Any, fnty: Any) -> None:
        given = [fnty, *(typevars[each.name].type for each in self.args)]
        before = vars(self).get("given")
        if before is not None and all(map(operator.is_, given, before)):
            return
        resolve(self, typeinfer, typevars, fnty)
        found = self.signature
        if found and found.return_type.is_precise() and not (self.kws or self.vararg):
            self.given = given

    return resolve_if_new


def kept_types(context: Any) -> Callable[..., Any]:
    """Return the look-up of types by values, which asks for the same value only once."""
    found: dict[tuple[int, int], tuple[Any, ...]] = {}
    look_up = vars(context)["resolve_value_type"]

    def resolve_value_type(self: Any, val: Any) -> Any:
        key = id(self), id(val)
        kept = found.get(key)
        if kept is None:
            kept = found[key] = look_up(self, val), self, val  # which live, so ids are theirs
        return kept[0]

    return resolve_value_type


def kept_attributes(context: Any) -> Callable[..., Any]:
    """Return the look-up of attributes' types, which asks for the same only once."""
    found: dict[tuple[int, int, str], tuple[Any, ...]] = {}
    look_up = vars(context)["resolve_getattr"]

    def resolve_getattr(self: Any, typ: Any, attr: str) -> Any:
        key = id(self), id(typ), attr
        kept = found.get(key)
        if kept is None:
            kept = look_up(self, typ, attr), self, typ
            if kept[0] is not None:  # else somebody may register it yet
                found[key] = kept
        return kept[0]

    return resolve_getattr


def kept_has_loc(base: Any) -> Callable[[Any], bool]:
    """Return what says whether a function of numba's takes a place in the text."""
    found: dict[int, tuple[bool, Any]] = {}
    look = vars(base)["_has_loc"]

    def has_loc(function: Any) -> bool:
        kept = found.get(id(function))
        if kept is None:
            kept = found[id(function)] = look(function), function
        return kept[0]

    return has_loc


def kept_sizes(context: Any) -> Callable[..., int]:
    """Return what says how large a type of LLVM's is: a text is parsed once for each."""
    found: dict[Any, int] = {}
    ask = vars(context)["get_abi_sizeof"]

    def get_abi_sizeof(self: Any, ty: Any) -> int:
        size = found.get(ty)
        if size is None:
            size = found[ty] = ask(self, ty)
        return size

    return get_abi_sizeof


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
    below = getattr(context, "typing_context", None)
    entries = sum(len(each) for registry in context._registries for each in lists_of(registry))
    return entries + (0 if below is None else registered(below))


@functools.cache
def lists_of(registry: Any) -> tuple[list[Any], ...]:
    """Return the lists of a registry, to which entries are added."""
    return tuple(each for each in vars(registry).values() if isinstance(each, list))


def singly_assigned(front: FrontEnd) -> Callable[[Any], None]:
    """Return what finds the variables that one statement sets and only its own block uses."""
    lowering, ir = front.lowering, front.ir
    assigns = getattr(ir, "assign_types", ir.Assign)

    def find(self: Any) -> None:
        self._singly_assigned_vars, self._blk_local_varmap = set(), {}
        if self.func_ir.func_id.is_generator:
            return
        blocks = self.func_ir.blocks
        found = lowering.compute_use_defs(blocks)
        outside = set(lowering.must_use_alloca(blocks)).union(*found.usemap.values())
        times = Counter(
            each.target.name for block in blocks.values() for each in block.find_insts(assigns)
        )
        defined = set[str]().union(*found.defmap.values())
        self._singly_assigned_vars = {
            each for each in defined if times[each] == 1 and each not in outside
        }

    return find


def context_of(errors: Any) -> type:
    """Return the class of contexts that tell errors where they arose: `new_error_context`."""

    class Context:
        __slots__ = ("args", "named", "words")

        def __init__(self, words: str, *args: Any, **named: Any) -> None:
            self.words, self.args, self.named = words, args, named

        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
            if isinstance(error, errors.NumbaError):
                error.add_context(errors._format_msg(self.words, self.args, self.named))

    return Context


NOTHING = contextlib.nullcontext()


def without_ends(front: FrontEnd) -> Change:
    """Return the change by which only functions that count references are told where variables end.

    On cores it is seen in the code: branches and registers get other names.
    """
    whole = vars(front.typed)["check_and_legalize_ir"]

    def check_and_legalize_ir(func_ir: Any, flags: Any) -> None:
        if flags.nrt or func_ir.is_generator:
            whole(func_ir, flags=flags)

    return front.typed, "check_and_legalize_ir", check_and_legalize_ir


def run_pass(front: FrontEnd) -> Callable[..., None]:
    """Return `PassManager._runPass`, which runs a pass, without words and with fewer checks."""
    machinery, whole = front.machinery, vars(front.machinery.PassManager)["_runPass"]

    def run(self: Any, index: int, each: Any, state: Any) -> None:
        if front.event._registered[KIND_OF_PASS] or front.event._registered[KIND_FOR_GPUS]:
            whole(self, index, each, state)
            return
        each.analysis = self._analysis
        with machinery.errors.new_error_context(f"Pass {each.name()}"):
            done = [each.run_initialization(state), each.run_pass(state), each.run_finalizer(state)]
        may_change = machinery._pass_registry.get(type(each)).mutates_CFG and any(done)
        if may_change and not isinstance(each, machinery.LoweringPass):
            machinery.PostProcessor(state.func_ir).run()

    return run


KIND_OF_PASS, KIND_FOR_GPUS = "numba:run_pass", "numba-cuda:run_pass"
"""What numba calls the event of a pass, for cores and for GPUs."""


def without_words(front: FrontEnd) -> Callable[..., bool]:
    """Return the pass that looks up words and makes arrays, where a function may have any."""
    whole, types = vars(front.typed.NopythonRewrites)["run_pass"], front.typed.types
    words = types.StringLiteral, types.List

    def run(self: Any, state: Any) -> bool:
        has_any = state.flags.nrt or any(isinstance(each, words) for each in state.typemap.values())
        return bool(whole(self, state)) if has_any else True

    return run
