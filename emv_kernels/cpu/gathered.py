"""Sums of what stands at given places of an array, four of them side by side.

An addition waits some cycles for the one before, and where a short row ends, a processor guesses
wrong. So there are four sums, of every fourth number each, and the last four numbers are taken
without a branch for each: what is not in the row counts as -0.0, which changes no sum. Which
instructions a processor has for that changes no bit: every sum is formed in the same order.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 4  # sums side by side
AHEAD = 64  # places ahead whose numbers are asked for, which nobody does beyond a wrong guess


@intrinsic
def sum_at(typing_context, values, places, begin, end):
    """Return the sum in f64 of ``values[places[begin:end]]``, floats of single precision.

    With 0 to 3 for the sums of every fourth number it is ``(0 + 2) + (1 + 3)``; of nothing, -0.0.
    """

    def build(context, builder, sig, args):
        views = [context.make_array(sig.args[k])(context, builder, args[k]) for k in (0, 1)]
        first, last = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        return _Sum(builder, *views, places.dtype.signed, has_gather(context)).of(first, last)

    return types.float64(values, places, begin, end), build


def has_gather(context):
    """Return whether one instruction reads several places, but for those that a mask has not."""
    return "+avx512vl" in context.codegen().magic_tuple()[2]


class _Sum:
    """Builds the instructions of one sum."""

    def __init__(self, builder, values, places, is_signed, has_gather):
        self.builder, self.has_gather, self.is_signed = builder, has_gather, is_signed
        self.values, self.places, self.size = values.data, places.data, places.nitems
        self.sums = cgutils.alloca_once_value(builder, _each(ir.DoubleType(), LANES, -0.0))

    def of(self, begin, end):
        """Return the sum from one place to before another one."""
        builder = self.builder
        last = cgutils.alloca_once_value(builder, begin)
        with builder.if_then(builder.icmp_signed("<", builder.add(begin, _word(LANES)), end)):
            builder.store(self.add_all_but_last(begin, end), last)
        self.add_last(builder.load(last), end)
        return self.folded()

    def add_all_but_last(self, begin, end):
        """Add numbers while more than `LANES` are left, and return where the others begin."""
        builder, two = self.builder, _word(2 * LANES)
        count = builder.sub(builder.sub(end, begin), _word(1))
        behind = builder.add(begin, builder.and_(count, _word(-2 * LANES)))
        rest = builder.sub(self.size, end)
        ahead = builder.select(builder.icmp_signed("<", rest, _word(AHEAD)), rest, _word(AHEAD))
        with cgutils.for_range_slice(builder, begin, behind, two, two.type) as (at, _):
            self.ask(builder.add(at, ahead), 2 * LANES)
            both = self.gather(at, 2 * LANES)
            for half in range(2):
                lanes = [half * LANES + lane for lane in range(LANES)]
                self.add(builder.shuffle_vector(both, both, _each(ir.IntType(32), LANES, *lanes)))
        last, later = cgutils.alloca_once_value(builder, behind), builder.add(behind, _word(LANES))
        with builder.if_then(builder.icmp_signed("<", later, end)):
            self.ask(builder.add(behind, ahead), LANES)
            self.add(self.gather(behind, LANES))
            builder.store(later, last)
        return builder.load(last)

    def ask(self, at, count):
        """Ask for the numbers of so many places; nothing waits for them."""
        word = ir.IntType(32)
        for lane in range(count):
            told = [self.number_at(self.builder.add(at, _word(lane)))]
            told += [word(0), word(3), word(1)]  # to read, to keep, data
            self.call("llvm.prefetch.p0", ir.VoidType(), told)

    def add(self, numbers):
        """Add numbers to the sums, each to its own."""
        wide = self.builder.fpext(numbers, ir.VectorType(ir.DoubleType(), LANES))
        self.builder.store(self.builder.fadd(self.builder.load(self.sums), wide), self.sums)

    def add_last(self, at, end):
        """Add the last numbers, up to one for each sum."""
        builder, word = self.builder, ir.IntType(32)
        if self.has_gather:
            left = builder.trunc(builder.sub(end, at), word)
            mask = builder.icmp_signed("<", _each(word, LANES, *range(LANES)), self.every(left))
            self.add(self.gather(at, LANES, mask))
            return
        with builder.if_then(builder.icmp_signed("<", at, end)):
            self.add(self.joined([self.number_if(at, lane, end) for lane in range(LANES)]))

    def number_if(self, at, lane, end):
        """Return the number of a place, -0.0 from the end on: then the first is read."""
        builder, place = self.builder, self.builder.add(at, _word(lane))
        test = builder.icmp_signed("<", place, end)
        number = builder.load(self.number_at(builder.select(test, place, at)))
        return builder.select(test, number, number.type(-0.0))

    def number_at(self, at):
        """Return where the number of a place stands."""
        found = self.builder.load(self.builder.gep(self.places, [at]))
        if found.type.width < 64:
            wider = self.builder.sext if self.is_signed else self.builder.zext
            found = wider(found, ir.IntType(64))
        return self.builder.gep(self.values, [found])

    def gather(self, at, count, mask=None):
        """Return the numbers of so many places, -0.0 where a mask has none."""
        builder, kind = self.builder, self.places.type.pointee
        mask = mask or _each(ir.IntType(1), count, 1)
        told = [builder.gep(self.places, [at]), ir.IntType(32)(kind.width // 8), mask]
        told.append(_each(kind, count, 0))
        found = self.call(f"llvm.masked.load.v{count}i{kind.width}.p0", told[-1].type, told)
        base = self.values
        if kind.width == 32 and not self.is_signed:  # an index of 32 bits is signed, and faster
            half = 1 << 31
            base = builder.gep(base, [_word(half)])
            found = builder.xor(found, _each(kind, count, half))
        number = base.type.pointee
        where = builder.gep(base, [found], source_etype=number)
        where.type = ir.VectorType(base.type, count)  # one for each id
        told = [where, ir.IntType(32)(4), mask, _each(number, count, -0.0)]
        return self.call(f"llvm.masked.gather.v{count}f32.v{count}p0", told[-1].type, told)

    def joined(self, parts):
        """Return a vector of some values."""
        vector = ir.Constant(ir.VectorType(parts[0].type, len(parts)), ir.Undefined)
        for lane, part in enumerate(parts):
            vector = self.builder.insert_element(vector, part, ir.IntType(32)(lane))
        return vector

    def every(self, part):
        """Return a vector of one value again and again."""
        return self.joined([part] * LANES)

    def folded(self):
        """Return the sum of the sums."""
        builder, word = self.builder, ir.IntType(32)
        sums = builder.load(self.sums)
        halves = [
            builder.shuffle_vector(sums, sums, _each(word, 2, first, first + 1)) for first in (0, 2)
        ]
        both = builder.fadd(*halves)
        return builder.fadd(*(builder.extract_element(both, word(lane)) for lane in range(2)))

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
