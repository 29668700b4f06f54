"""The generated text of the CPU backend, run as plain Python instead of being compiled.

A text is executed with a `numba` whose decorators do nothing; so are the sources of
`emv_kernels.cpu` that it calls. Only what has no Python form is written here: the atomic operations
and casts of bits. An array refuses indices outside it, and its elements have numba's types: what it
computes with in 64 bits is read so.
"""

from __future__ import annotations

import builtins
import contextlib
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import emv_kernels
from emv.backends import compiling, cpu
from emv.backends.simulated.ieee_math import MATH
from emv.backends.simulated.integers import as_typed, least_and_low, made_once, numbers, wrapping
from emv.ir.kernel import KernelSource

WHOLE = made_once(np.int64)


class Checked:
    """An array as a kernel sees it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.size, self.has_rows = array, len(array), array.ndim > 1
        self.kind, self.wraps = array.dtype.type, array.dtype.kind in "iu"
        self.widens = self.wraps and array.dtype != np.uint64
        if self.wraps:
            self.view = memoryview(array)  # numpy takes three times as long
            self.least, self.low = least_and_low(self.kind)

    def __len__(self) -> int:
        return self.size

    def place(self, index: Any) -> int:
        number = index if type(index) is int else int(index)
        if not 0 <= number < self.size:
            raise IndexError(f"[{number}] of {self.size}")
        if TURNS:
            TURNS[-1].step()  # before memory is touched
        return number

    def read(self, number: int) -> Any:
        return WHOLE[self.view[number]] if self.widens else self.array[number]

    def write(self, number: int, value: Any) -> None:
        if self.wraps:  # memory keeps the bits that fit
            self.view[number] = ((int(value) - self.least) & self.low) + self.least
        else:
            same = type(value) is self.kind
            self.array[number] = value if same else np.asarray(value).astype(self.array.dtype)

    def __getitem__(self, index: Any) -> Any:
        if self.has_rows or isinstance(index, slice):
            return Checked(self.array[index])
        return self.read(self.place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            self.array[index] = value.array if isinstance(value, Checked) else value
            return
        self.write(self.place(index), value)


TURNS: list[Any] = []
"""Who gives turns to the threads that run (`tests/interleaved_cpu.py`)."""


def changed_by(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return an atomic operation on an element."""

    def apply(array: Checked, index: Any, value: Any) -> Any:
        place = array.place(index)
        old = array.read(place)
        array.write(place, operation(old, value))
        return old

    return apply


def compare_exchange(array: Checked, index: Any, expected: Any, desired: Any) -> Any:
    place = array.place(index)
    old = array.read(place)
    if old == expected:
        array.write(place, desired)
    return old


def sum_at(values: Checked, places: Checked, begin: Any, end: Any) -> Any:
    """Return the sum of numbers at some places, formed as eight sums side by side."""
    sums = np.full(8, -0.0)
    for number, place in enumerate(range(int(begin), int(end))):
        sums[number % 8] += np.float64(values[places[place]])
    for half in (4, 2, 1):
        sums = sums[:half] + sums[half:]
    return sums[0]


def tell(*told: Any) -> tuple[Any, ...]:
    """Return what threads are told."""
    return told


def by_threads(count: Any, function: Callable[..., Any], told: Any, *first: Any) -> None:
    """Call a function for each thread, one after another."""
    for thread in range(int(count)):
        function(thread, *first, *told)


NO_SUM = 0x7FF8DEADBEEF0001  # the bits of none among the sums of a tally

INTRINSICS = {
    "fetch_add": changed_by(lambda old, value: old + value),
    "fetch_min": changed_by(lambda old, value: min(value, old)),
    "fetch_max": changed_by(lambda old, value: max(value, old)),
    "fetch_and": changed_by(lambda old, value: old & value),
    "fetch_or": changed_by(lambda old, value: old | value),
    "fetch_xor": changed_by(lambda old, value: old ^ value),
    "exchange": changed_by(lambda old, value: value),
    "_compare_exchange_bits": compare_exchange,
    "bit_count": lambda value: np.int64(bin(int(value) & 0xFFFFFFFFFFFFFFFF).count("1")),
    "ask_ahead": lambda array, index: None,
    "chosen": lambda test, one, other: one if test else other,
    "stay_apart": lambda: None,
    "sum_at": sum_at,
    "by_threads": by_threads,
    "tell": tell,
    "read_now": lambda array, index: array[index],
    "handle_signals": lambda: 0,  # Python runs them here between any two bytecodes
    "leave_if": lambda test: None,
    "nanoseconds": time.monotonic_ns,
    "_bits_of_float": lambda value: np.float32(value).view(np.uint32),
    "_float_of_bits": lambda value: np.uint32(value).view(np.float32),
    "_bits_of_double": lambda value: np.float64(value).view(np.uint64),
    "_double_of_bits": lambda value: np.uint64(value).view(np.float64),
    "_is_empty": lambda value: int(np.asarray(value).view(np.int64)) == NO_SUM,
    "_empty": lambda like: np.int64(NO_SUM).view(type(np.asarray(like)[()])),
}


def undecorated(*functions: Any, **options: Any) -> Any:
    """Stand in for `numba.njit`, with options and without."""
    return functions[0] if functions else undecorated


NUMPY = numbers(**{name: wrapping(getattr(np, name)) for name in ("int64", "uint64")})


for _name in ("int8", "int16", "int32", "uint8", "uint16", "uint32"):
    setattr(NUMPY, _name, wrapping(getattr(np, _name), computed=np.int64))


def stand_ins() -> dict[str, types.ModuleType]:
    """Return the modules that generated texts and device code import, by name."""
    made = {}
    for name, names in {
        "numba": {"njit": undecorated, "types": types.SimpleNamespace()},
        "numba.core": {"cgutils": None},
        "numba.extending": {"intrinsic": lambda typed: INTRINSICS[typed.__name__]},
        "llvmlite": {"ir": None},
    }.items():
        made[name] = types.ModuleType(name)
        vars(made[name]).update(names)
    for kind in ("float32", "uint32", "float64", "uint64"):
        setattr(made["numba"].types, kind, kind)
    return made


@contextlib.contextmanager
def in_place_of_numba(modules: dict[str, types.ModuleType]) -> Iterator[None]:
    """Let imports find stand-ins."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def executed(name: str, text: str, path: str) -> types.ModuleType:
    """Return a module of a text, in which numpy is `NUMPY` and `math` is `MATH`."""
    module = types.ModuleType(name)
    module.__file__ = path
    for line in ("import numpy as np", "import math"):
        text = text.replace(f"\n{line}\n", "\n\n")
    exec(compile(text, path, "exec"), _names(module))
    return module


def _names(module: types.ModuleType) -> dict[str, Any]:
    names = vars(module)
    names.update(np=NUMPY, math=MATH, __builtins__=builtins)
    return names


IN_ORDER = """
jit ahead chosen gathered atomics numbers threads values packing random sets signals queues words
messages sorting tallies turns
""".split()
"""The modules of device code that texts import, each after those that it imports itself."""


class InterpretedKernels:
    """Loads texts of the CPU backend; `ran` counts the calls of their functions."""

    def __init__(self) -> None:
        self.ran = 0
        self.modules = stand_ins()
        folder = Path(str(emv_kernels.__file__)).parent / "cpu"
        for name in IN_ORDER:
            path, full = folder / f"{name}.py", f"emv_kernels.cpu.{name}"
            with in_place_of_numba(self.modules):
                module = executed(full, path.read_text(), str(path))
            self.modules[full] = module

    def load(self, source: KernelSource) -> types.ModuleType:
        """Stand in for `emv.backends.cpu.load`."""
        name = f"emv_interpreted_{source.digest()}"
        with in_place_of_numba(self.modules):
            module = executed(name, self.text_of(source), f"{name}.py")
        for each, function in list(vars(module).items()):
            vars(module)[each] = as_typed(each, function, NUMPY.int64)
        faced = types.ModuleType(name)
        faced.__file__ = module.__file__
        for function, names in source.functions.items():
            setattr(faced, function, self.called(getattr(module, function), names))
        return faced

    def text_of(self, source: KernelSource) -> str:
        return source.text

    def called(self, function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
        """Return a function that takes plain arrays, of these names."""

        def call(*arrays: Any) -> Any:
            self.ran += 1
            with np.errstate(all="ignore"):  # compiled kernels say nothing of infinities, either
                return function(*map(self.checked, names, arrays))

        return call

    def checked(self, name: str, array: np.ndarray) -> Checked:
        """Return an array as a kernel sees it."""
        return Checked(array)


@contextlib.contextmanager
def interpreted(kernels: InterpretedKernels | None = None) -> Iterator[InterpretedKernels]:
    """Interpret what the CPU backend would compile."""
    load, kernels = cpu.load, kernels or InterpretedKernels()
    cpu.load = kernels.load
    try:
        yield kernels
    finally:
        cpu.load = load


assert compiling  # numba's listener is registered before anything stands in for numba
