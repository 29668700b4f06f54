"""What numba's front ends do in vain before types are known, while they read Python's operations.

As of what `emv_kernels.frugal` tells, nothing of it is seen in the code that comes out.

* Lifetimes. Which variables live where blocks begin is worked out after each pass, and only
  generators ask for it. What a statement names is found by asking all that it holds for its kind.
* Blocks. Each variable that is set twice is looked for in every statement, twice; now only in
  blocks that name it.
* Shapes. Behind most passes the branches of a function are looked through for loops with several
  ways back, though they are as they were.
* Exceptions. Each operation of Python's is asked whether one may be caught behind it.
* Sequences. Operations that Python writes for lists, dicts and ``with`` are put together again, and
  where no function is made within another, one is looked for to be inlined.
* Words. What one pass does is told, a hundred thousand times, to a log that nobody keeps.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from emv_kernels.front import Change, FrontEnd


def changes(front: FrontEnd) -> list[Change]:
    """Return what to change of a front end while it compiles one program."""
    flow = sys.modules[front.interpreter.Flow.__module__]
    return [
        (front.postproc.PostProcessor, "run", postprocessed(front)),
        (front.ir.Inst, "_rec_list_vars", names_in(front.ir)),
        (front.ssa, "_logger", SILENT),
        (front.ssa, "_run_block_rewrite", rewritten(front.ssa)),
        (front.untyped.InlineClosureLikes, "run_pass", without_closures(front)),
        (front.transforms, "canonicalize_cfg", canonical(front)),
        (front.interpreter.Interpreter, "post_process", without_sequences(front)),
        (flow, "_logger", SILENT),
        (flow.Flow, "_run_handle_exception", without_exceptions(flow)),
    ]


SILENT = SimpleNamespace(debug=lambda *_: None)


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


def without_sequences(front: FrontEnd) -> Callable[..., Any]:
    """Return `Interpreter.post_process`, which is left out where nothing is to be put together."""
    whole = vars(front.interpreter.Interpreter)["post_process"]

    def post_process(self: Any, peepholes: Any, func_ir: Any) -> Any:
        is_plain = SEQUENCES.isdisjoint(func_ir.func_id.code.co_code[::2])
        return func_ir if is_plain else whole(self, peepholes, func_ir)

    return post_process


WORDS = "LIST", "MAP", "DICT", "WITH", "SPECIAL", "EXC", "BLOCK", "FUNCTION_EX", "INTRINSIC"
SEQUENCES = {code for name, code in dis.opmap.items() if any(word in name for word in WORDS)}
"""Operations of Python's of lists, dicts, ``with`` and calls of any number of arguments."""


def without_exceptions(flow: Any) -> Callable[..., Any]:
    """Return `Flow._run_handle_exception` for functions that catch none, and have no ``with``."""
    whole = vars(flow.Flow)["_run_handle_exception"]

    def go_on(self: Any, runner: Any, state: Any) -> Any:
        if self._bytecode.exception_entries:
            return whole(self, runner, state)
        return state.advance_pc()

    return go_on


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
