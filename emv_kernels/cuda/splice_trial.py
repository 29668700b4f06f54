"""Trial."""
import numpy as np
from numba import cuda, uint32
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sort import first_not_below
from emv_kernels.cuda.splice import MARKS, ROWS, SPAN, _lay_end, _lay_span, _mark_span, _put
from emv_kernels.cuda.marks import place_left

@device
def _copy_span_8(old, result, span, end, shift):
    i = span + cuda.laneid
    while i + 7 * 32 < end:
        k = i - shift
        v0, v1, v2, v3 = old[k + 0], old[k + 32], old[k + 64], old[k + 96]
        v4, v5, v6, v7 = old[k + 128], old[k + 160], old[k + 192], old[k + 224]
        result[i + 0], result[i + 32], result[i + 64], result[i + 96] = v0, v1, v2, v3
        result[i + 128], result[i + 160], result[i + 192], result[i + 224] = v4, v5, v6, v7
        i += 256
    while i < end:
        result[i] = old[i - shift]
        i += 32

@device
def _copy_span_16(old, result, span, end, shift):
    i = span + cuda.laneid
    while i + 15 * 32 < end:
        k = i - shift
        v0, v1, v2, v3 = old[k + 0], old[k + 32], old[k + 64], old[k + 96]
        v4, v5, v6, v7 = old[k + 128], old[k + 160], old[k + 192], old[k + 224]
        v8, v9, v10, v11 = old[k + 256], old[k + 288], old[k + 320], old[k + 352]
        v12, v13, v14, v15 = old[k + 384], old[k + 416], old[k + 448], old[k + 480]
        result[i + 0], result[i + 32], result[i + 64], result[i + 96] = v0, v1, v2, v3
        result[i + 128], result[i + 160], result[i + 192], result[i + 224] = v4, v5, v6, v7
        result[i + 256], result[i + 288], result[i + 320], result[i + 352] = v8, v9, v10, v11
        result[i + 384], result[i + 416], result[i + 448], result[i + 480] = v12, v13, v14, v15
        i += 512
    while i < end:
        result[i] = old[i - shift]
        i += 32

@device
def _copy_span_32(old, result, span, end, shift):
    i = span + cuda.laneid
    while i + 31 * 32 < end:
        k = i - shift
        v0, v1, v2, v3 = old[k + 0], old[k + 32], old[k + 64], old[k + 96]
        v4, v5, v6, v7 = old[k + 128], old[k + 160], old[k + 192], old[k + 224]
        v8, v9, v10, v11 = old[k + 256], old[k + 288], old[k + 320], old[k + 352]
        v12, v13, v14, v15 = old[k + 384], old[k + 416], old[k + 448], old[k + 480]
        v16, v17, v18, v19 = old[k + 512], old[k + 544], old[k + 576], old[k + 608]
        v20, v21, v22, v23 = old[k + 640], old[k + 672], old[k + 704], old[k + 736]
        v24, v25, v26, v27 = old[k + 768], old[k + 800], old[k + 832], old[k + 864]
        v28, v29, v30, v31 = old[k + 896], old[k + 928], old[k + 960], old[k + 992]
        result[i + 0], result[i + 32], result[i + 64], result[i + 96] = v0, v1, v2, v3
        result[i + 128], result[i + 160], result[i + 192], result[i + 224] = v4, v5, v6, v7
        result[i + 256], result[i + 288], result[i + 320], result[i + 352] = v8, v9, v10, v11
        result[i + 384], result[i + 416], result[i + 448], result[i + 480] = v12, v13, v14, v15
        result[i + 512], result[i + 544], result[i + 576], result[i + 608] = v16, v17, v18, v19
        result[i + 640], result[i + 672], result[i + 704], result[i + 736] = v20, v21, v22, v23
        result[i + 768], result[i + 800], result[i + 832], result[i + 864] = v24, v25, v26, v27
        result[i + 896], result[i + 928], result[i + 960], result[i + 992] = v28, v29, v30, v31
        i += 1024
    while i < end:
        result[i] = old[i - shift]
        i += 32

@device
def put_skip8(old, added, at, result, num_added, count):
    words = cuda.shared.array(MARKS, uint32)
    warp = np.int64(cuda.threadIdx.x) // 32
    base = warp * ROWS
    warps = np.int64(cuda.blockDim.x) // 32
    spans = (count + SPAN - 1) // SPAN
    number, stretches = np.int64(cuda.blockIdx.x) * warps + warp, warps * np.int64(cuda.gridDim.x)
    span = number * spans // stretches * SPAN
    last = min(count, (number + 1) * spans // stretches * SPAN)
    low = first_not_below(at, num_added, span)
    ahead = np.int64(at[low]) if low < num_added else count
    while span < last:
        end = min(span + SPAN, last)
        if ahead >= end:
            _copy_span_8(old, result, span, end, low)
        else:
            behind = _mark_span(at, low, num_added, span, end, words, base)
            if behind == low:
                _copy_span_8(old, result, span, end, low)
            elif end - span == SPAN:
                _lay_span(old, added, words, base, result, span, low)
            else:
                _lay_end(old, added, words, base, result, span, end, low)
            low = behind
            ahead = np.int64(at[low]) if low < num_added else count
        span += SPAN

@device
def put_skip16(old, added, at, result, num_added, count):
    words = cuda.shared.array(MARKS, uint32)
    warp = np.int64(cuda.threadIdx.x) // 32
    base = warp * ROWS
    warps = np.int64(cuda.blockDim.x) // 32
    spans = (count + SPAN - 1) // SPAN
    number, stretches = np.int64(cuda.blockIdx.x) * warps + warp, warps * np.int64(cuda.gridDim.x)
    span = number * spans // stretches * SPAN
    last = min(count, (number + 1) * spans // stretches * SPAN)
    low = first_not_below(at, num_added, span)
    ahead = np.int64(at[low]) if low < num_added else count
    while span < last:
        end = min(span + SPAN, last)
        if ahead >= end:
            _copy_span_16(old, result, span, end, low)
        else:
            behind = _mark_span(at, low, num_added, span, end, words, base)
            if behind == low:
                _copy_span_16(old, result, span, end, low)
            elif end - span == SPAN:
                _lay_span(old, added, words, base, result, span, low)
            else:
                _lay_end(old, added, words, base, result, span, end, low)
            low = behind
            ahead = np.int64(at[low]) if low < num_added else count
        span += SPAN

@device
def put_all16(old, added, at, result, num_added, count):
    words = cuda.shared.array(MARKS, uint32)
    warp = np.int64(cuda.threadIdx.x) // 32
    base = warp * ROWS
    warps = np.int64(cuda.blockDim.x) // 32
    spans = (count + SPAN - 1) // SPAN
    number, stretches = np.int64(cuda.blockIdx.x) * warps + warp, warps * np.int64(cuda.gridDim.x)
    span = number * spans // stretches * SPAN
    last = min(count, (number + 1) * spans // stretches * SPAN)
    low = first_not_below(at, num_added, span)
    ahead = np.int64(at[low]) if low < num_added else count
    while span < last:
        end = min(span + SPAN, last)
        if False:
            _copy_span_16(old, result, span, end, low)
        else:
            behind = _mark_span(at, low, num_added, span, end, words, base)
            if behind == low:
                _copy_span_16(old, result, span, end, low)
            elif end - span == SPAN:
                _lay_span(old, added, words, base, result, span, low)
            else:
                _lay_end(old, added, words, base, result, span, end, low)
            low = behind
            ahead = np.int64(at[low]) if low < num_added else count
        span += SPAN

@device
def put_skip32(old, added, at, result, num_added, count):
    words = cuda.shared.array(MARKS, uint32)
    warp = np.int64(cuda.threadIdx.x) // 32
    base = warp * ROWS
    warps = np.int64(cuda.blockDim.x) // 32
    spans = (count + SPAN - 1) // SPAN
    number, stretches = np.int64(cuda.blockIdx.x) * warps + warp, warps * np.int64(cuda.gridDim.x)
    span = number * spans // stretches * SPAN
    last = min(count, (number + 1) * spans // stretches * SPAN)
    low = first_not_below(at, num_added, span)
    ahead = np.int64(at[low]) if low < num_added else count
    while span < last:
        end = min(span + SPAN, last)
        if ahead >= end:
            _copy_span_32(old, result, span, end, low)
        else:
            behind = _mark_span(at, low, num_added, span, end, words, base)
            if behind == low:
                _copy_span_32(old, result, span, end, low)
            elif end - span == SPAN:
                _lay_span(old, added, words, base, result, span, low)
            else:
                _lay_end(old, added, words, base, result, span, end, low)
            low = behind
            ahead = np.int64(at[low]) if low < num_added else count
        span += SPAN

@device
def leave_16(old, ranks, result, count):
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i + 15 * step < count:
        k, m, n = i + 4 * step, i + 8 * step, i + 12 * step
        v0, v1, v2, v3 = old[i + 0 * step], old[i + 1 * step], old[i + 2 * step], old[i + 3 * step]
        v4, v5, v6, v7 = old[k + 0 * step], old[k + 1 * step], old[k + 2 * step], old[k + 3 * step]
        v8, v9, v10, v11 = old[m + 0 * step], old[m + 1 * step], old[m + 2 * step], old[m + 3 * step]
        v12, v13, v14, v15 = old[n + 0 * step], old[n + 1 * step], old[n + 2 * step], old[n + 3 * step]
        a0 = place_left(ranks, i + 0 * step)
        a1 = place_left(ranks, i + 1 * step)
        a2 = place_left(ranks, i + 2 * step)
        a3 = place_left(ranks, i + 3 * step)
        a4 = place_left(ranks, k + 0 * step)
        a5 = place_left(ranks, k + 1 * step)
        a6 = place_left(ranks, k + 2 * step)
        a7 = place_left(ranks, k + 3 * step)
        a8 = place_left(ranks, m + 0 * step)
        a9 = place_left(ranks, m + 1 * step)
        a10 = place_left(ranks, m + 2 * step)
        a11 = place_left(ranks, m + 3 * step)
        a12 = place_left(ranks, n + 0 * step)
        a13 = place_left(ranks, n + 1 * step)
        a14 = place_left(ranks, n + 2 * step)
        a15 = place_left(ranks, n + 3 * step)
        _put(result, a0, v0)
        _put(result, a1, v1)
        _put(result, a2, v2)
        _put(result, a3, v3)
        _put(result, a4, v4)
        _put(result, a5, v5)
        _put(result, a6, v6)
        _put(result, a7, v7)
        _put(result, a8, v8)
        _put(result, a9, v9)
        _put(result, a10, v10)
        _put(result, a11, v11)
        _put(result, a12, v12)
        _put(result, a13, v13)
        _put(result, a14, v14)
        _put(result, a15, v15)
        i += 16 * step
    while i < count:
        _put(result, place_left(ranks, i), old[i])
        i += step


@device
def leave_side(old, ranks, result, count):
    """A warp takes 1024 entries side by side: one load of 32 ranks, which lanes hand each other."""
    lane = np.int64(cuda.laneid)
    warp = np.int64(cuda.grid(1)) // 32
    warps = np.int64(cuda.gridsize(1)) // 32
    spans = count // 1024
    span = warp * spans // warps
    last = (warp + 1) * spans // warps
    while span < last:
        begin = span * 1024
        own = np.int64(ranks[(begin >> 5) + lane])
        row = 0
        while row < 32:
            i = begin + 32 * row + lane
            v0 = old[i + 0]
            v1 = old[i + 32]
            v2 = old[i + 64]
            v3 = old[i + 96]
            v4 = old[i + 128]
            v5 = old[i + 160]
            v6 = old[i + 192]
            v7 = old[i + 224]
            r0 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 0))
            r1 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 1))
            r2 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 2))
            r3 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 3))
            r4 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 4))
            r5 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 5))
            r6 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 6))
            r7 = np.uint64(cuda.shfl_sync(0xFFFFFFFF, own, row + 7))
            bits0 = np.uint32(r0)
            if (bits0 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone0 = np.int64(r0 >> np.uint64(32)) + np.int64(cuda.popc(bits0 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 0 - gone0] = v0
            bits1 = np.uint32(r1)
            if (bits1 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone1 = np.int64(r1 >> np.uint64(32)) + np.int64(cuda.popc(bits1 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 32 - gone1] = v1
            bits2 = np.uint32(r2)
            if (bits2 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone2 = np.int64(r2 >> np.uint64(32)) + np.int64(cuda.popc(bits2 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 64 - gone2] = v2
            bits3 = np.uint32(r3)
            if (bits3 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone3 = np.int64(r3 >> np.uint64(32)) + np.int64(cuda.popc(bits3 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 96 - gone3] = v3
            bits4 = np.uint32(r4)
            if (bits4 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone4 = np.int64(r4 >> np.uint64(32)) + np.int64(cuda.popc(bits4 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 128 - gone4] = v4
            bits5 = np.uint32(r5)
            if (bits5 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone5 = np.int64(r5 >> np.uint64(32)) + np.int64(cuda.popc(bits5 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 160 - gone5] = v5
            bits6 = np.uint32(r6)
            if (bits6 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone6 = np.int64(r6 >> np.uint64(32)) + np.int64(cuda.popc(bits6 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 192 - gone6] = v6
            bits7 = np.uint32(r7)
            if (bits7 >> np.uint32(lane)) & np.uint32(1) == np.uint32(0):
                gone7 = np.int64(r7 >> np.uint64(32)) + np.int64(cuda.popc(bits7 & ((np.uint32(1) << np.uint32(lane)) - np.uint32(1))))
                result[i + 224 - gone7] = v7
            row += 8
        span += 1
    i = spans * 1024 + np.int64(cuda.grid(1))
    while i < count:
        _put(result, place_left(ranks, i), old[i])
        i += cuda.gridsize(1)
