"""A function run by several threads at once, each told its number.

numba's own parallel loops do the same, but each makes a function of its body, an array of bounds,
two shells around it and a launch of them, and compiles them all. Here the function is there
already, and what the threads are told lies in one place. They are those of numba's threading layer,
so that one pool serves both.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def begin_threading() -> None:
    """Let compiled code find numba's threads; code that was kept calls it when it is loaded."""
    from numba.np.ufunc.parallel import _launch_threads

    _launch_threads()


@intrinsic
def by_threads(typing_context, count, function, *told):
    """Call a compiled function for each number below a count, on as many threads as are set.

    It is given the number, then what else is told here; it returns nothing and raises nothing.
    Numba makes a tuple of many arguments, and warns of one that begins with a function.
    """
    signature = function.get_call_type(typing_context, (types.int64, *told), {})

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        begin_threading()
        context.active_code_library._reload_init.add(begin_threading)
        values = cgutils.unpack_tuple(builder, args[2], len(told))
        values = [
            context.cast(builder, value, kind, wanted)
            for value, kind, wanted in zip(values, told, signature.args[1:], strict=True)
        ]
        values = context.get_arg_packer(signature.args[1:]).as_arguments(builder, values)
        kept = cgutils.alloca_once(builder, ir.LiteralStructType([each.type for each in values]))
        for place, value in enumerate(values):
            builder.store(value, cgutils.gep_inbounds(builder, kept, 0, place))
        share = _share(context, builder, function, signature, kept.type)
        number = context.cast(builder, args[0], sig.args[0], types.int64)
        _launch(builder, share, number, kept)
        return context.get_dummy_value()

    return types.void(count, function, types.StarArgTuple(told)), generate


def _share(context: Any, builder: Any, function: Any, signature: Any, kept: Any) -> Any:
    """Return the function that numba's threads call: each for some numbers in a row.

    Its arguments are those of numba's ``parallel_for``. The first array, of which a thread is told
    where its part begins, is none: it would begin at 0, so a place in it is a number.
    """
    compiled = function.dispatcher.get_compile_result(signature)
    context.active_code_library.add_linking_library(compiled.library)
    word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
    places = word.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), places, places, byte])
    name = f"share.{compiled.fndesc.mangled_name}"
    if name in builder.module.globals:  # of another call in the same text
        return builder.module.globals[name]
    share = ir.Function(builder.module, kind, name)
    share.linkage = "internal"
    inside = ir.IRBuilder(share.append_basic_block("entry"))
    first = inside.ptrtoint(inside.load(share.args[0]), word)
    told = inside.bitcast(share.args[3], kept)
    values = [
        inside.load(cgutils.gep_inbounds(inside, told, 0, place))
        for place in range(len(kept.pointee.elements))
    ]
    values = context.get_arg_packer(signature.args[1:]).from_arguments(inside, values)
    with cgutils.for_range(inside, inside.load(share.args[1]), intp=word) as loop:
        numbers = [inside.add(first, loop.index), *values]
        context.call_internal_no_propagate(inside, compiled.fndesc, signature, numbers)
    inside.ret_void()
    return share


def _launch(builder: Any, share: Any, count: Any, told: Any) -> None:
    """Have numba's threads call a function for all numbers below a count, and wait for them."""
    word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
    arrays = cgutils.alloca_once_value(builder, ir.Constant(byte, None))
    counts = cgutils.alloca_once(builder, word)
    builder.store(count, counts)
    steps = cgutils.alloca_once_value(builder, word(1))
    asked = ir.FunctionType(word, [])
    threads = cgutils.get_or_insert_function(builder.module, asked, "get_num_threads")
    kind = ir.FunctionType(ir.VoidType(), [byte] * 5 + [word] * 3)
    launch = cgutils.get_or_insert_function(builder.module, kind, "numba_parallel_for")
    given = [builder.bitcast(each, byte) for each in (share, arrays, counts, steps, told)]
    builder.call(launch, [*given, word(0), word(1), builder.call(threads, [])])
