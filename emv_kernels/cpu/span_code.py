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
from numba.core.datamodel.models import ArrayModel
from numba.extending import NativeValue, lower_builtin, lower_cast, register_model, unbox
from numba.np.arrayobj import fix_integer_index
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
    """Return the address of an element; one below 0 counts from the end."""
    size = builder.extract_value(array, LENGTH)
    if not (isinstance(index, ir.Constant) and index.type == size.type and index.constant >= 0):
        index = fix_integer_index(context, builder, kind, index, size)
    return builder.gep(builder.extract_value(array, DATA), [index])


@unbox(Span)
def unboxed(kind: Any, array: Any, c: Any) -> Any:
    """Return the span of an array of Python's, which one function looks at for all arguments."""
    model = c.context.data_model_manager[kind]
    told = ir.LiteralStructType(model.get_argument_type())
    size = ir.IntType(64)(as_dtype(kind.dtype).itemsize)
    place = cgutils.alloca_once(c.builder, told)
    found = c.builder.bitcast(place, c.pyapi.voidptr)
    failed = c.builder.call(_taken(c), [array, found, size])
    parts = tuple(c.builder.load(cgutils.gep_inbounds(c.builder, place, 0, k)) for k in (0, 1))
    return NativeValue(model.from_argument(c.builder, parts), is_error=failed)


def _taken(c: Any) -> Any:
    """Return the function that writes where an array of Python's begins, and how long it is.

    It gives 1 and sets an exception where there is none, or one of elements of another size.
    """
    word, byte, name = ir.IntType(64), c.pyapi.voidptr, "emv.taken"
    if name in c.builder.module.globals:
        return c.builder.module.globals[name]
    kind = ir.FunctionType(ir.IntType(1), [c.pyapi.pyobj, byte, word])
    taken = ir.Function(c.builder.module, kind, name)
    taken.linkage = "internal"
    taken.attributes.add("noinline")
    array, told, size = taken.args
    builder = ir.IRBuilder(taken.append_basic_block("entry"))
    whole = c.context.get_value_type(Span(types.uint8))
    place = cgutils.alloca_once(builder, whole)
    given = c.context.get_python_api(builder)
    status = given.numba_array_adaptor(array, builder.bitcast(place, byte))
    parts = {
        k: builder.load(cgutils.gep_inbounds(builder, place, 0, k)) for k in (LENGTH, ITEM, DATA)
    }
    is_other = builder.icmp_unsigned("!=", parts[ITEM], size)
    failed = builder.or_(cgutils.is_not_null(builder, status), is_other)
    with builder.if_then(failed, likely=False):
        given.err_set_string("PyExc_TypeError", "this takes an array of other elements")
    goal = builder.bitcast(told, ir.LiteralStructType([parts[DATA].type, word]).as_pointer())
    builder.store(parts[DATA], cgutils.gep_inbounds(builder, goal, 0, 0))
    builder.store(parts[LENGTH], cgutils.gep_inbounds(builder, goal, 0, 1))
    builder.ret(failed)
    return taken
