"""What it takes several grids to meet: on halves of one GPU, or each on a GPU of its own.

Usage: python -m tests.stress.meetings [--devices cuda:0,cuda:0] [--rounds 10000] [--plain]
           [--json FILE]

Each device that is named gets one grid, those on one device shares of it. In a round every part
stores to a table of every other, meets them (`emv_kernels.cuda.meeting`), and checks what all have
stored and said. Beside it the same rounds on one grid, where the barrier is that of the grid alone.
``--plain`` launches without the cooperative attribute, should a GPU put cooperative launches one
behind the other: then the first part waits in vain, and says so after two seconds. Several GPUs
must be able to reach each other's memory; everything is loaded before the first launch.

Prints microseconds a round; exits 1 if a part was late, or found what nobody had stored.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from emv.backends.cuda import compile as compiler
from emv.backends.cuda.answers import checked
from emv.backends.cuda.device import Device, Kernel, device
from emv.ir.kernel import KernelSource
from emv_kernels.cuda.meeting import PLACE, WORDS
from emv_kernels.sizes import RELEASED

THREADS = 512
ROWS = 8  # of a table, for each part and turn
SAID = 8  # words of what a part says
WAIT_NS = 2_000_000_000
STATE = 256  # words of the state, of which the barrier uses some
FAILURE, SUM, MET, WRONG = range(4)  # what a part finds

HEAD = """
import numpy as np
from numba import cuda
from emv_kernels.cuda.grid import arrive, release, wait
from emv_kernels.cuda.meeting import FAILED, HEARD, box_place, foremost, heard, order_system, say
from emv_kernels.cuda.tracing import nanoseconds


def program(state, out, box, table, {boxes}, {tables}, part, rounds, wait_ns):
    blocks = np.int32(cuda.gridDim.x)
    generation = state[{released}]
    number = np.int64(0)
    while number < rounds:
        number += 1
        if {leaves}:
            return
        k = np.int64(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)
        if k < {rows}:
            mine = ((number & 1) * {parts} + part) * {rows} + k
            value = number * 1000 + part * 10 + k
"""
MEET = """
        {before}
        lane = arrive(state, blocks)
        if lane >= 0:
            order_system()
            place = box_place(number, part, {parts}, lane)
            until = np.int64(nanoseconds()) + wait_ns
            came, total = np.int64(HEARD), (part + 1) * number + lane
"""
TELL = """
            if part != {other} and lane < {words}:
                say(box{other}, place, number, (part + 1) * number + lane)
"""
LISTEN = """
            if part != {other} and lane < {words} and came == HEARD:
                word, came = heard(box, box_place(number, {other}, {parts}, lane), number, until)
                total += word
"""
FOUND = """
            lost = foremost(came)
            came = cuda.shfl_sync(0xFFFFFFFF, came, lost & 31)
            last = cuda.shfl_sync(0xFFFFFFFF, total, {words} - 1)
            if lane == 0 and lost == 32:
                out[1] += total + last
                out[2] = number
            elif lane == 0:
                out[0] = came + 10 * number
"""
TAIL = """
            cuda.syncwarp()
        if lane == 0:
            release(state, blocks, generation)
        generation = wait(state, blocks, generation)
        if out[0] != 0:
            return
        k = np.int64(cuda.threadIdx.x)
        while k < {entries}:
            value = number * 1000 + k // {rows} * 10 + k % {rows}
            if table[(number & 1) * {entries} + k] != value:
                out[3] = 1
            k += cuda.blockDim.x
"""


def kernel(parts: int, before: str = "pass", leaves: str = "False") -> KernelSource:
    """Return the kernel; tests let it do something else besides, or leave."""
    boxes, tables = ([f"{stem}{part}" for part in range(parts)] for stem in ("box", "table"))
    pieces = [HEAD, *(f"            {table}[mine] = value\n" for table in tables), MEET]
    pieces += [TELL.replace("{other}", str(other)) for other in range(parts)]
    pieces += [LISTEN.replace("{other}", str(other)) for other in range(parts)]
    failed = "            if lost < 32 and lane < {words}: say({box}, place, FAILED, 0)\n"
    pieces += [FOUND, *(failed.replace("{box}", box) for box in boxes), TAIL]
    text = "".join(each.removeprefix("\n") for each in pieces).format(
        boxes=", ".join(boxes),
        tables=", ".join(tables),
        released=RELEASED,
        rows=ROWS,
        parts=parts,
        words=SAID,
        entries=parts * ROWS,
        before=before,
        leaves=leaves,
    )
    names = ("state", "out", "box", "table", *boxes, *tables, "part", "rounds", "wait_ns")
    return KernelSource("meetings", text, {"program": names}, {})


def kinds_of(source: KernelSource) -> dict[str, str]:
    """Return what the compiler is told of the parameters."""
    numbers = ("part", "rounds", "wait_ns")
    names = source.functions["program"]
    return {name: "=int64" if name in numbers else "int64" for name in names}


def sizes(parts: int) -> dict[str, int]:
    """Return how many words a part has of each array."""
    tables = {"box": 2 * parts * WORDS * PLACE, "table": 2 * parts * ROWS}
    return {"state": STATE, "out": 4, **tables}


@dataclass
class Timing:
    """What rounds took on some grids."""

    devices: list[str]
    blocks: list[int]
    us_a_round: float
    fault: str = ""

    def line(self) -> str:
        """Return the line of the table."""
        where = ", ".join(f"{a} x {b}" for a, b in zip(self.devices, self.blocks, strict=True))
        return f"{where:<40}{self.us_a_round:>10.2f} us a round  {self.fault or 'right'}"


class Part:
    """One grid: its memory, its stream, and the kernel that it runs."""

    def __init__(self, on: Device, parts: int, share: int) -> None:
        self.on, driver = on, on.driver
        with on.current():
            source = kernel(parts)
            binary = compiler.load(source, kinds_of(source), arch=on.arch)
            self.kernel: Kernel = on.kernel(binary.cubin, binary.kernel)
            self.blocks = max(1, self.kernel.most_blocks // share)
            apart = int(driver.cuda.CUstream_flags.CU_STREAM_NON_BLOCKING)
            self.stream = int(checked(driver.cuda.cuStreamCreate(apart)))
            self.arrays = {
                name: on.upload(np.zeros(size, np.int64)) for name, size in sizes(parts).items()
            }
            self.began, self.ended = driver.new_event(), driver.new_event()

    def launch(self, words: Sequence[int], plain: bool) -> None:
        """Put the kernel on the stream."""
        driver = self.on.driver
        self.words = np.array(words, np.int64).view(np.uint64)
        self.addresses = self.words.ctypes.data + 8 * np.arange(len(words), dtype=np.uint64)
        parameters = int(self.addresses.ctypes.data)
        with self.on.current():
            driver.record(self.began, self.stream)
            if plain:
                size = (self.blocks, 1, 1, THREADS, 1, 1, 0, self.stream, parameters, 0)
                checked(driver.cuda.cuLaunchKernel(self.kernel.function, *size))
            else:
                function = self.kernel.function
                driver.launch(function, self.blocks, THREADS, parameters, self.stream)
            driver.record(self.ended, self.stream)

    def found(self) -> np.ndarray:
        """Return what the part has found, once it has ended."""
        out = np.zeros(4, np.int64)
        with self.on.current():
            self.on.driver.synchronize(self.stream)
            self.on.download(self.arrays["out"].address, out, self.stream)
        return out

    def seconds(self) -> float:
        """Return how long the kernel ran."""
        return float(self.on.driver.seconds_between(self.began, self.ended))


def reach_each_other(devices: Sequence[Device]) -> None:
    """Let every GPU address the memory of every other."""
    for one in devices:
        for other in devices:
            if one is not other:
                with one.current():
                    checked(one.driver.cuda.cuCtxEnablePeerAccess(other.driver.context, 0))


def timed(names: Sequence[str], rounds: int, plain: bool) -> Timing:
    """Run rounds on one grid for each name."""
    on = [device(name) for name in names]
    parts = [Part(each, len(names), on.count(each)) for each in on]
    arrays = [each.arrays for each in parts]
    peers = [each[name].address for name in ("box", "table") for each in arrays]
    for number, part in enumerate(parts):
        own = [part.arrays[name].address for name in ("state", "out", "box", "table")]
        part.launch([*own, *peers, number, rounds, WAIT_NS], plain)
    found = [part.found() for part in parts]
    took = max(part.seconds() for part in parts)
    blocks = [part.blocks for part in parts]
    return Timing(list(names), blocks, 1e6 * took / rounds, fault_of(found, rounds))


def fault_of(found: Sequence[np.ndarray], rounds: int) -> str:
    """Return what is wrong with what the parts have found."""
    count = len(found)
    said = count * (count + 1) * (rounds * (rounds + 1) // 2) + (SAID - 1) * count * rounds
    for part, out in enumerate(found):
        if out[FAILURE]:
            return f"part {part} was alone in round {out[FAILURE] // 10} (code {out[FAILURE] % 10})"
        if out.tolist() != [0, said, rounds, 0]:
            return f"part {part} found {out.tolist()}"
    return ""


def main() -> int:
    """Measure, print, and say whether all was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", default="cuda:0,cuda:0")
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.devices.split(",")
    reach_each_other([device(name) for name in dict.fromkeys(names)])
    timings = []
    for some in (names[:1], names):
        timed(some, 100, options.plain)  # so that all is loaded
        timings.append(timed(some, options.rounds, options.plain))
        print(timings[-1].line(), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(each) for each in timings], indent=1))
    return int(any(each.fault for each in timings))


if __name__ == "__main__":
    sys.exit(main())
