"""How spans are compiled, arrays of which two numbers are handed on (`emv_kernels.cpu.spans`).

Inside a function they are numba's arrays, so that all that numba knows of arrays holds. What stands
in every kernel, to read and to write an element, is written here with fewer instructions.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callwrapper import PyCallWrapper, _ArgManager, _GilManager
from numba.core.datamodel.models import ArrayModel
from numba.extending import lower_builtin, lower_cast, register_model
from numba.np.numpy_support import as_dtype

from emv_kernels.cpu.spans import Span

LENGTH, ITEM, DATA, SHAPE, STRIDES = 2, 3, 4, 5, 6  # places in numba's structure


@register_model(Span)
class SpanModel(ArrayModel):
    """An array of numba's, of which two numbers are handed on."""

    def get_argument_type(self) -> tuple[Any, Any]:
        """Return the types of what is handed on."""
        kinds = self.get_value_type().elements
        return kinds[DATA], kinds[LENGTH]

    def as_argument(self, builder: Any, value: Any) -> tuple[Any, Any]:
        """Return what is handed on of an array."""
        return builder.extract_value(value, DATA), builder.extract_value(value, LENGTH)

    def from_argument(self, builder: Any, value: tuple[Any, Any]) -> Any:
        """Return the array of which this was handed on."""
        data, length = value
        kind = self.get_value_type()
        parts = [ir.Constant(each, None) for each in kind.elements]
        parts[ITEM] = parts[ITEM].type(as_dtype(self._fe_type.dtype).itemsize)
        parts[STRIDES] = ir.Constant(parts[STRIDES].type, [parts[ITEM]])
        array = builder.insert_value(ir.Constant(kind, parts), data, DATA)
        array = builder.insert_value(array, length, LENGTH)
        return builder.insert_value(array, length, (SHAPE, 0))


@lower_cast(types.Array, Span)
@lower_cast(Span, types.Array)
def same(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Return the array as it is."""
    return value


@lower_builtin(len, Span)
def length(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return how many elements there are."""
    return builder.extract_value(args[0], LENGTH)


@lower_builtin(operator.getitem, Span, types.Integer)
def read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return an element."""
    place = _address(context, builder, sig.args[1], *args)
    return context.unpack_value(builder, sig.args[0].dtype, place)


@lower_builtin(operator.setitem, Span, types.Integer, types.Any)
def write(context: Any, builder: Any, sig: Any, args: Any) -> None:
    """Set an element."""
    dtype = sig.args[0].dtype
    value = context.cast(builder, args[2], sig.args[2], dtype)
    context.pack_value(builder, dtype, value, _address(context, builder, sig.args[1], *args[:2]))


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return the address of an element; no index is below 0.

    numba would look at each that has a sign, as Python counts those below 0 from the end. That was
    a tenth of the code of strong components. `tests/interpreted_cpu.py` refuses such.
    """
    place = context.cast(builder, index, kind, types.intp)
    return builder.gep(builder.extract_value(array, DATA), [place])


def build_wrapper(self: Any, api: Any, builder: Any, closure: Any, args: Any, kws: Any) -> None:
    """Build the form of a function that takes Python's objects: for numba's ``PyCallWrapper``.

    numba writes out for each argument how it is taken, and given back where a later one is refused.
    Here one function takes all arrays that are handed on as spans, of which nothing is given back.
    """
    context, kinds = self.context, self.fndesc.argtypes
    if not any(isinstance(kind, Span) for kind in kinds):
        WHOLE(self, api, builder, closure, args, kws)
        return
    told = _all_taken(context, api, builder, args, kinds)
    refused = builder.append_basic_block("refused")
    ir.IRBuilder(refused).ret(api.get_null_object())
    others = _ArgManager(context, builder, api, None, refused, len(kinds))
    values = [
        _value(context, builder, told, k, kind)
        if isinstance(kind, Span)
        else others.add_arg(api.tuple_getitem(args, k), kind)
        for k, kind in enumerate(kinds)
    ]
    others = _GilManager(builder, api, others) if self.release_gil else others
    status, found = context.call_conv.call_function(
        builder, self.func, self.fndesc.restype, kinds, values, attrs=("noinline",)
    )
    others.emit_cleanup()
    with builder.if_then(status.is_ok, likely=True):
        with builder.if_then(status.is_none):
            api.return_none()
        builder.ret(api.from_native_return(self._simplified_return_type(), found, None))
    context.call_conv.raise_error(builder, api, status)
    builder.ret(api.get_null_object())


WHOLE = PyCallWrapper.build_wrapper  # for functions without spans


def _value(context: Any, builder: Any, told: Any, place: int, kind: Any) -> Any:
    """Return the span of an argument of which two numbers were written down."""
    model = context.data_model_manager[kind]
    parts = tuple(builder.load(cgutils.gep_inbounds(builder, told, 0, place, k)) for k in (0, 1))
    data = builder.bitcast(parts[0], model.get_argument_type()[0])
    return model.from_argument(builder, (data, parts[1]))


def _all_taken(context: Any, api: Any, builder: Any, args: Any, kinds: Any) -> Any:
    """Write down where each array of a tuple begins, and how long it is; else refuse them."""
    word, byte = ir.IntType(64), api.voidptr
    sizes = [as_dtype(kind.dtype).itemsize if isinstance(kind, Span) else 0 for kind in kinds]
    held = ir.Constant(ir.ArrayType(word, len(sizes)), sizes)
    expected = cgutils.global_constant(builder.module, "emv.sizes", held)
    told = cgutils.alloca_once(
        builder, ir.ArrayType(ir.LiteralStructType([byte, word]), len(sizes))
    )
    given = [args, builder.bitcast(told, byte), builder.bitcast(expected, byte), word(len(sizes))]
    failed = builder.call(_taker(context, builder.module, api), given)
    with cgutils.if_unlikely(builder, failed):
        builder.ret(api.get_null_object())
    return told


def _taker(context: Any, module: Any, api: Any) -> Any:
    """Return the function that takes all spans of a tuple; an element of size 0 tells of none.

    It gives 1 and sets an exception where there is none, or one of elements of another size.
    """
    word, byte = ir.IntType(64), api.voidptr
    taker = ir.Function(
        module, ir.FunctionType(ir.IntType(1), [api.pyobj, byte, byte, word]), "emv.taken"
    )
    taker.linkage = "internal"
    taker.attributes.add("noinline")
    builder = ir.IRBuilder(taker.append_basic_block("entry"))
    given = context.get_python_api(builder)
    place = cgutils.alloca_once(builder, context.get_value_type(Span(types.uint8)))
    goals = builder.bitcast(taker.args[1], ir.LiteralStructType([byte, word]).as_pointer())
    sizes = builder.bitcast(taker.args[2], word.as_pointer())
    is_short = builder.icmp_unsigned("!=", given.tuple_size(taker.args[0]), taker.args[3])
    _refuse(builder, given, is_short, "this takes another number of arrays")
    with cgutils.for_range(builder, taker.args[3], intp=word) as loop:
        size = builder.load(builder.gep(sizes, [loop.index]))
        with builder.if_then(cgutils.is_not_null(builder, size)):
            array = _item(builder, given, taker.args[0], loop.index)
            status = given.numba_array_adaptor(array, builder.bitcast(place, byte))
            length, item, data = (
                builder.load(cgutils.gep_inbounds(builder, place, 0, k))
                for k in (LENGTH, ITEM, DATA)
            )
            is_other = builder.icmp_unsigned("!=", item, size)
            failed = builder.or_(cgutils.is_not_null(builder, status), is_other)
            _refuse(builder, given, failed, "this takes an array of other elements")
            goal = builder.gep(goals, [loop.index])
            builder.store(data, cgutils.gep_inbounds(builder, goal, 0, 0))
            builder.store(length, cgutils.gep_inbounds(builder, goal, 0, 1))
    builder.ret(ir.IntType(1)(0))
    return taker


def _refuse(builder: Any, api: Any, is_wrong: Any, why: str) -> None:
    """Set an exception and say so, if something is wrong."""
    with builder.if_then(is_wrong, likely=False):
        api.err_set_string("PyExc_TypeError", why)
        builder.ret(ir.IntType(1)(1))


def _item(builder: Any, api: Any, args: Any, place: Any) -> Any:
    """Return an element of a tuple of Python's."""
    kind = ir.FunctionType(api.pyobj, [api.pyobj, place.type])
    return builder.call(
        cgutils.get_or_insert_function(builder.module, kind, "PyTuple_GetItem"), [args, place]
    )
