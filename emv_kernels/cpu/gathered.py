"""Sums of what stands at given places of an array, eight of them side by side.

An addition waits some cycles for the one before, and where a row ends, a processor guesses wrong.
So there are eight sums, of every eighth number each, and the last eight numbers are taken without a
branch for each: places past the end of the row are not read, and their numbers count as -0.0, which
changes no sum. Rows of up to four numbers are taken at once. Places are asked for ahead, also where
a row ends: rows stand one behind the other, and until its places are there, no number is asked for.
Which instructions a processor has for that changes no bit: every sum is formed in the same order.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from emv_kernels.sizes import SENDERS_AHEAD

LANES = 8  # sums side by side
FEW = 4  # numbers of a row that needs no more of them


@intrinsic
def sum_at(typing_context, values, places, begin, end):
    """Return the sum in f64 of ``values[places[begin:end]]``, floats of single precision.

    With 0 to 7 for the sums of every eighth number it is ``((0 + 4) + (2 + 6)) + ((1 + 5) + (3 +
    7))``; of nothing, -0.0. There must be one value at least: what is left out reads the first.
    """

    def build(context, builder, sig, args):
        views = [context.make_array(sig.args[k])(context, builder, args[k]) for k in (0, 1)]
        first, last = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        return _Sum(builder, *views, places.dtype.signed, has_gather(context)).of(first, last)

    return types.float64(values, places, begin, end), build


def has_gather(context):
    """Return whether one instruction reads several places, as fast as one for each would.

    AMD's processors have it, too, and take longer for it: 264 ms of PageRank where 222 were had.
    """
    _, processor, features = context.codegen().magic_tuple()
    return "+avx512vl" in features and not processor.startswith("znver")


class _Sum:
    """Builds the instructions of one sum."""

    def __init__(self, builder, values, places, is_signed, has_gather):
        self.builder, self.has_gather, self.is_signed = builder, has_gather, is_signed
        self.values, self.places = values.data, places.data

    def of(self, begin, end):
        """Return the sum from one place to before another one."""
        builder = self.builder
        found = cgutils.alloca_once(builder, ir.DoubleType())
        few = builder.icmp_signed("<=", builder.sub(end, begin), _word(FEW))
        with builder.if_else(few) as (is_few, is_more):
            with is_few:
                builder.store(self.folded(self.last(begin, end, FEW)), found)
            with is_more:
                builder.store(self.folded(self.sums(begin, end)), found)
        return builder.load(found)

    def sums(self, begin, end):
        """Return the sums of every eighth number."""
        builder, step = self.builder, _word(LANES)
        kept = cgutils.alloca_once_value(builder, _each(ir.DoubleType(), LANES, -0.0))
        count = builder.sub(builder.sub(end, begin), _word(1))
        behind = builder.add(begin, builder.and_(count, _word(-LANES)))
        with cgutils.for_range_slice(builder, begin, behind, step, step.type) as (at, _):
            self.ask_ahead(at)
            told = self.wide(self.gather(at, LANES))
            builder.store(builder.fadd(builder.load(kept), told), kept)
        return builder.fadd(builder.load(kept), self.last(behind, end, LANES))

    def wide(self, numbers):
        """Return numbers in double precision."""
        kind = ir.VectorType(ir.DoubleType(), numbers.type.count)
        return self.builder.fpext(numbers, kind)

    def last(self, at, end, count):
        """Return the last numbers, up to so many; -0.0 for those that there are not."""
        builder, word = self.builder, ir.IntType(32)
        self.ask_ahead(at)
        left = self.joined([builder.trunc(builder.sub(end, at), word)] * count)
        mask = builder.icmp_signed("<", _each(word, count, *range(count)), left)
        return self.wide(self.gather(at, count, mask))

    def ask_ahead(self, at):
        """Ask for places of a later time, which may be past the last: nothing waits for them."""
        word = ir.IntType(32)
        told = [self.builder.gep(self.places, [self.builder.add(at, _word(SENDERS_AHEAD))])]
        told += [word(0), word(3), word(1)]  # to read, to keep, data
        self.call("llvm.prefetch.p0", ir.VoidType(), told)

    def gather(self, at, count, mask=None):
        """Return the numbers of so many places, -0.0 where a mask has none."""
        if self.has_gather:
            return self.gathered(self.ids(at, count, mask), mask)
        ids, lanes = self.ids(at, count, mask), map(ir.IntType(32), range(count))
        numbers = self.joined([self.number_at(self.builder.extract_element(ids, k)) for k in lanes])
        if mask is None:
            return numbers
        return self.builder.select(mask, numbers, numbers.type([-0.0] * count))

    def ids(self, at, count, mask):
        """Return what stands at so many places, 0 where a mask has none: nothing is read there."""
        builder, kind = self.builder, self.places.type.pointee
        mask = mask or _each(ir.IntType(1), count, 1)
        told = [builder.gep(self.places, [at]), ir.IntType(32)(kind.width // 8), mask]
        told.append(_each(kind, count, 0))
        return self.call(f"llvm.masked.load.v{count}i{kind.width}.p0", told[-1].type, told)

    def number_at(self, found):
        """Return the number that an id leads to."""
        if found.type.width < 64:
            wider = self.builder.sext if self.is_signed else self.builder.zext
            found = wider(found, ir.IntType(64))
        return self.builder.load(self.builder.gep(self.values, [found]))

    def gathered(self, found, mask):
        """Return the numbers that ids lead to, by one instruction."""
        builder, base, kind, count = self.builder, self.values, found.type.element, found.type.count
        if kind.width == 32 and not self.is_signed:  # an index of 32 bits is signed, and faster
            half = 1 << 31
            base = builder.gep(base, [_word(half)])
            found = builder.xor(found, _each(kind, count, half))
        number = base.type.pointee
        where = builder.gep(base, [found], source_etype=number)
        where.type = ir.VectorType(base.type, count)  # one for each id
        mask = mask or _each(ir.IntType(1), count, 1)
        told = [where, ir.IntType(32)(4), mask, _each(number, count, -0.0)]
        return self.call(f"llvm.masked.gather.v{count}f32.v{count}p0", told[-1].type, told)

    def joined(self, parts):
        """Return a vector of some values."""
        vector = ir.Constant(ir.VectorType(parts[0].type, len(parts)), ir.Undefined)
        for lane, part in enumerate(parts):
            vector = self.builder.insert_element(vector, part, ir.IntType(32)(lane))
        return vector

    def folded(self, sums):
        """Return the sum of sums: halves are added until one is left."""
        builder, word = self.builder, ir.IntType(32)
        while sums.type.count > 1:
            half = sums.type.count // 2
            parts = [_each(word, half, *range(low, low + half)) for low in (0, half)]
            sums = builder.fadd(*(builder.shuffle_vector(sums, sums, each) for each in parts))
        return builder.extract_element(sums, word(0))

    def call(self, name, returned, told):
        """Call a function that LLVM knows."""
        kind = ir.FunctionType(returned, [each.type for each in told])
        return self.builder.call(
            cgutils.get_or_insert_function(self.builder.module, kind, name), told
        )


def _word(number):
    return ir.IntType(64)(number)


def _each(kind, count, *numbers):
    """Return a constant vector of some numbers, or of one again and again."""
    return ir.Constant(ir.VectorType(kind, count), [*numbers] * (count // len(numbers)))
