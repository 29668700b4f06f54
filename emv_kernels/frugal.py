"""What numba's front ends, of cores and of GPUs, do in vain for the functions that emv gives them.

Typing and lowering are Python, and take most of a compilation. What is left out here cannot be seen
in the code that comes out (`tests/unit/kernels/test_frugal.py`).

* Answers. An operator or a function of numba's is looked for among all its templates wherever it
  stands, though the answer follows from the types. It is kept while a program is compiled.
* Attributes. Where one is written, as ``np.int64`` is, all templates for its owner are asked.
* Values. The type of a constant, a function or an operator of Python's is found anew wherever it
  stands, and the signature of what numba itself is written in wherever it is called.
* Sizes. That of a type is found out by having LLVM read a text with a variable of it, for every
  argument of a function; it is kept.
* Registries. All are gone through for every function, to find what somebody has registered since.
  How many entries they have says whether there is anything.
* Lifetimes. Which variables live where blocks begin is worked out after each pass, and only
  generators ask for it. What a statement names is found by asking all that it holds for its kind.
* Blocks. Each variable that is set twice is looked for in every statement, twice; now only in
  blocks that name it.
* Shapes. Behind most passes the branches of a function are looked through for loops with several
  ways back, though they are as they were. And who writes no ``with`` has no ways out of one.
* Words. What one pass does is told, a hundred thousand times, to a log that nobody keeps.
* Passes. Before each, what is compiled is spelled out for whoever listens, and behind each, the
  branches of the function are put in order and it is looked through for what passes leave behind.
  That is left out where nobody listens, and behind those that write LLVM's text.
* Rewrites. Where nobody counts references no array is made, neither of a list nor of a sum of
  arrays; and where no function is made within another, none is looked for to be inlined.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

from numba.core.types.functions import BaseFunction

Change = tuple[Any, str, Any]
"""An object, the name of an attribute that it has, and the value to set."""


class FrontEnd(NamedTuple):
    """The modules of one of numba's front ends; that for GPUs has its own of each."""

    context: Any
    templates: Any
    base: Any
    ir: Any
    postproc: Any
    ssa: Any
    transforms: Any
    typing_context: type
    """The class of typing contexts that says which types values have."""
    machinery: Any
    typed: Any
    untyped: Any
    ir_utils: Any
    event: Any
    interpreter: Any


def changes(front: FrontEnd) -> list[Change]:
    """Return what to change of a front end while it compiles one program."""
    counts: dict[int, int] = {}
    busy: set[int] = set()
    contexts = front.context.BaseContext, front.base.BaseContext
    return [
        (BaseFunction, "get_call_type", kept_answers(vars(BaseFunction)["get_call_type"])),
        (front.context.BaseContext, "resolve_getattr", kept_attributes(front.context.BaseContext)),
        (front.typing_context, "resolve_value_type", kept_types(front.typing_context)),
        (front.base, "_has_loc", kept_has_loc(front.base)),
        (front.base.BaseContext, "get_abi_sizeof", kept_sizes(front.base.BaseContext)),
        (front.templates, "inspect", Signatures()),
        *((each, "refresh", where_new(vars(each)["refresh"], counts, busy)) for each in contexts),
        (front.postproc.PostProcessor, "run", postprocessed(front)),
        (front.ir.Inst, "_rec_list_vars", names_in(front.ir)),
        (front.ssa, "_logger", SILENT),
        (front.ssa, "_run_block_rewrite", rewritten(front.ssa)),
        (front.machinery.PassManager, "_runPass", run_pass(front)),
        (front.typed.NopythonRewrites, "run_pass", without_words(front)),
        (front.untyped.InlineClosureLikes, "run_pass", without_closures(front)),
        (front.transforms, "canonicalize_cfg", canonical(front)),
        (front.interpreter, "peep_hole_delete_with_exit", without_exits(front)),
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
    lists = [
        len(each)
        for registry in context._registries
        for each in vars(registry).values()
        if isinstance(each, list)
    ]
    below = getattr(context, "typing_context", None)
    return sum(lists) + (0 if below is None else registered(below))


def postprocessed(front: FrontEnd) -> Callable[..., None]:
    """Return `PostProcessor.run` without what lives where blocks begin, unless of a generator."""
    postproc, transforms = front.postproc, front.transforms
    whole = vars(postproc.PostProcessor)["run"]

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if self.func_ir.is_generator:
            whole(self, emit_dels, extend_lifetimes)
            return
        self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
        self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)
        self.func_ir.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return run


def canonical(front: FrontEnd) -> Callable[..., dict[int, Any]]:
    """Return `canonicalize_cfg`, which leaves blocks alone whose branches are known to be so."""
    known: set[tuple[Any, ...]] = set()
    whole = vars(front.transforms)["canonicalize_cfg"]

    def canonicalize_cfg(blocks: dict[int, Any]) -> dict[int, Any]:
        shape = tuple((label, *each.terminator.get_targets()) for label, each in blocks.items())
        if shape in known:
            return blocks
        made: dict[int, Any] = whole(blocks)
        if all(made.get(label) is each for label, each in blocks.items()):
            known.add(shape)
        return made

    return canonicalize_cfg


def without_exits(front: FrontEnd) -> Callable[[Any], Any]:
    """Return what takes the exits of ``with`` out, where a function may have any."""
    whole = vars(front.interpreter)["peep_hole_delete_with_exit"]

    def delete_exits(func_ir: Any) -> Any:
        has_any = any(name.startswith("$setup_with_exitfn") for name in func_ir._definitions)
        return whole(func_ir) if has_any else func_ir

    return delete_exits


def without_ends(front: FrontEnd) -> Change:
    """Return the change by which only functions that count references are told where variables end.

    On cores it is seen in the code: branches and registers get other names.
    """
    whole = vars(front.typed)["check_and_legalize_ir"]

    def check_and_legalize_ir(func_ir: Any, flags: Any) -> None:
        if flags.nrt or func_ir.is_generator:
            whole(func_ir, flags=flags)

    return front.typed, "check_and_legalize_ir", check_and_legalize_ir


def names_in(ir: Any) -> Callable[[Any, Any], list[Any]]:
    """Return `Inst._rec_list_vars`, which finds the variables in a value, with fewer questions."""
    plain = (ir.Loc, str, int, bool, float, type(None))
    whole = vars(ir.Inst)["_rec_list_vars"]

    def names(self: Any, value: Any) -> list[Any]:
        kind = type(value)
        if kind is ir.Var:
            return [value]
        if kind in plain:
            return []
        if kind is dict:
            value = value.values()
        elif kind is not list and kind is not tuple:
            return list(whole(self, value))
        return [name for each in value if type(each) not in plain for name in names(self, each)]

    return names


def rewritten(ssa: Any) -> Callable[..., dict[int, Any]]:
    """Return `_run_block_rewrite`, which goes through blocks that name the variable alone.

    What takes the place of a block names what that named, and variables that are new.
    """
    found: dict[int, tuple[set[str], Any]] = {}
    whole = vars(ssa)["_run_block_rewrite"]

    def names_of(block: Any) -> set[str]:
        kept = found.get(id(block))
        if kept is None:
            names = {each.name for stmt in block.body for each in stmt.list_vars()}
            kept = found[id(block)] = names, block  # which lives, so the id is its own
        return kept[0]

    def rewrite(blocks: dict[int, Any], states: dict[str, Any], handler: Any) -> dict[int, Any]:
        made = {}
        for label, block in blocks.items():
            made[label] = block
            if states["varname"] in names_of(block):
                made[label] = new = whole({label: block}, states, handler)[label]
                found[id(new)] = names_of(block), new
        return made

    return rewrite


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


def without_closures(front: FrontEnd) -> Callable[..., bool]:
    """Return the pass that inlines closures and arrays of lists, where a function may have any."""
    whole = vars(front.untyped.InlineClosureLikes)["run_pass"]

    def run(self: Any, state: Any) -> bool:
        if has_lists(front, state):
            return bool(whole(self, state))
        front.postproc.PostProcessor(state.func_ir).run()
        blocks = state.func_ir.blocks
        if len({id(each.scope) for each in blocks.values()}) > 1:
            front.ir_utils.fixup_var_define_in_scope(blocks)
        return True

    return run


LISTS = ("build_list", "make_function")
"""The operations without which a text has neither closures nor arrays of entries in a row."""


def has_lists(front: FrontEnd, state: Any) -> bool:
    """Return whether a function may have closures, or arrays that are written as lists."""
    return any(
        isinstance(each, front.ir.Assign) and getattr(each.value, "op", "") in LISTS
        for block in state.func_ir.blocks.values()
        for each in block.body
    )


SILENT = SimpleNamespace(debug=lambda *_: None)
