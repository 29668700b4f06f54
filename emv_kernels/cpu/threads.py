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
def tell(typing_context, *told):
    """Write down what threads are told, once for all calls of `by_threads` in a function.

    Many arrays are told, and to write them down at each call was a twelfth of a search's code.
    """

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = context.get_arg_packer(told).as_arguments(
            builder, cgutils.unpack_tuple(builder, args[0], len(told))
        )
        return builder.bitcast(_kept(builder, values), context.get_value_type(sig.return_type))

    return types.CPointer(types.Tuple(told))(types.StarArgTuple(told)), generate


@intrinsic
def by_threads(typing_context, count, function, told, *first):
    """Call a compiled function for each number below a count, on as many threads as are set.

    It is given the number, then what is told first here, then what `tell` wrote down; it returns
    nothing and raises nothing. Numba makes a tuple of many arguments, and warns of one that begins
    with a function.
    """
    given = (types.int64, *first, *told.dtype.types)
    signature = function.get_call_type(typing_context, given, {})

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        begin_threading()
        context.active_code_library._reload_init.add(begin_threading)
        values = context.get_arg_packer(first).as_arguments(
            builder, cgutils.unpack_tuple(builder, args[3], len(first))
        )
        kept = _kept(builder, [args[2], *values])
        share = _share(context, builder, function, signature, (first, told.dtype.types))
        number = context.cast(builder, args[0], sig.args[0], types.int64)
        _launch(builder, share, number, kept)
        return context.get_dummy_value()

    return types.void(count, function, told, types.StarArgTuple(first)), generate


def _kept(builder: Any, values: Any) -> Any:
    """Write values down in one place of this function, and return where."""
    kept = cgutils.alloca_once(builder, ir.LiteralStructType([each.type for each in values]))
    for place, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, kept, 0, place))
    return kept


def _loaded(context: Any, builder: Any, pointer: Any, kinds: Any, before: Any = ()) -> Any:
    """Return what was written down, of types of numba's, and what of LLVM's stands before it."""
    packer = context.get_arg_packer(kinds)
    held = ir.LiteralStructType([*before, *packer.argument_types])
    place = builder.bitcast(pointer, held.as_pointer())
    values = [
        builder.load(cgutils.gep_inbounds(builder, place, 0, k)) for k in range(len(held.elements))
    ]
    return *values[: len(before)], *packer.from_arguments(builder, values[len(before) :])


def _share(context: Any, builder: Any, function: Any, signature: Any, kinds: Any) -> Any:
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
    begin = inside.ptrtoint(inside.load(share.args[0]), word)
    first, told = kinds
    there, *values = _loaded(context, inside, share.args[3], first, (byte,))
    values += _loaded(context, inside, there, told)
    values = [
        context.cast(inside, value, have, wanted)
        for value, have, wanted in zip(values, (*first, *told), signature.args[1:], strict=True)
    ]
    with cgutils.for_range(inside, inside.load(share.args[1]), intp=word) as loop:
        numbers = [inside.add(begin, loop.index), *values]
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
