"""From the text of a CUDA program to a binary for one GPU architecture, with or without a GPU.

The text becomes a file in the cache folder and a module; numba's CUDA types it and NVVM turns it
into LTO-IR, and nvJitLink links that into a cubin: linking LTO-IR instead of PTX lets an atomic
whose result nobody uses become a reduction. The cubin is kept, with its facts, under the hash of
everything that it depends on. A kernel takes bare pointers, one word per array, so that launching
it needs no numba: where the cache has the binary, numba is not even imported.

This and `frugal`, which changes it meanwhile, are the modules of emv that import numba's CUDA.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import re
import sys
import time
import types
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from emv.backends import simulated
from emv.backends.cuda.binary import Binary
from emv.backends.files import load_module
from emv.config import config
from emv.errors import BackendUnavailableError
from emv.imports import version_of
from emv.ir.kernel import KernelSource
from emv_kernels import garbage
from emv_kernels.aside import leavable
from emv_kernels.kept import cache_folder, digest_of_kernels, keep, kept

PACKAGES = ("numba", "numba-cuda", "llvmlite", "nvidia-nvvm", "nvidia-nvjitlink")
BOUNDS = (512, 2)  # threads of a block, blocks of it that a multiprocessor must hold

log = logging.getLogger("emv")
loaded: dict[str, Binary] = {}


def arch_of(major: int, minor: int) -> str:
    """Return the architecture of a compute capability, with what only that GPU has.

    Examples
    --------
    >>> arch_of(9, 0), arch_of(8, 6)
    ('sm_90a', 'sm_86')
    """
    return f"sm_{major}{minor}{'a' if (major, minor) >= (9, 0) else ''}"


def load(
    source: KernelSource,
    dtypes: dict[str, str],
    *,
    arch: str = "sm_90a",
    bounds: tuple[int, int] = BOUNDS,
    files: Iterable[str] = (),
) -> Binary:
    """Return the binary of a program: the kept one, or a new one.

    Parameters
    ----------
    source : KernelSource
        Its function ``program`` takes the arrays that ``functions`` lists.
    dtypes : dict
        numpy name of the dtype of each of them; with ``=`` before it, of a number by value.
    arch : str
        What `arch_of` returns.
    bounds : tuple of int
        Most threads of a block, and blocks that a multiprocessor must be able to hold.
    files : iterable of str
        Paths of the user's files, of which the text has only the names.

    Raises
    ------
    CompileError
        If numba cannot translate the program; it names the user's line.
    BackendUnavailableError
        If the compilers are missing or do not fit each other.
    """
    if simulated.is_asked_for():
        from emv.backends.simulated.gpu import keep_text

        return keep_text(source, dtypes)
    started = time.perf_counter()
    kinds = [dtypes[name] for name in source.functions["program"]]
    key = source.digest(toolchain(), arch, repr(bounds), " ".join(kinds))
    if key not in loaded:
        folder = cache_folder(config.cache, toolchain())
        path = None if folder is None else folder / f"emv_cuda_{key}.binary"
        binary = None if path is None else read(path)
        if binary is None:
            binary = leavable(lambda: made_once(source, kinds, key, (arch, bounds), files, path))
        loaded[key] = replace(binary, seconds=time.perf_counter() - started)
    return loaded[key]


def made_once(
    source: KernelSource,
    dtypes: list[str],
    key: str,
    target: tuple[str, tuple[int, int]],
    files: Iterable[str],
    path: Path | None,
) -> Binary:
    """Compile a program and keep it; signals are heard meanwhile, and no process is made by fork.

    A compilation that somebody no longer waits for goes on, and is found when it is asked for.
    """
    with garbage.later():
        from numba.core.compiler_lock import global_compiler_lock  # numba is not loaded for less

        with global_compiler_lock:
            if key not in loaded:
                loaded[key] = make(source, dtypes, key, target, files)
                if path is not None:
                    write(path, loaded[key])
            return loaded[key]


@functools.cache
def toolchain() -> str:
    """Return the versions and sources that a binary depends on, as one digest.

    Compilers that do not come as wheels have no version here: their binaries stay valid.
    """
    versions = [f"{name} {version(name)}" for name in PACKAGES]
    whole = "\n".join([*versions, sys.version, digest_of_kernels()])
    return hashlib.sha256(whole.encode()).hexdigest()


def version(package: str) -> str:
    """Return the installed version of a package, or nothing."""
    return version_of(package) or ""


def read(path: Path) -> Binary | None:
    """Return the kept binary, if there is a whole one."""
    content = kept(path)
    if content is None:
        return None
    facts, _, cubin = content.partition(b"\n")
    return Binary(cubin, **json.loads(facts), seconds=0.0)


def write(path: Path, binary: Binary) -> None:
    """Keep a binary: a line of facts, and the code."""
    facts = asdict(binary)
    del facts["seconds"]
    cubin = facts.pop("cubin")
    keep(path, json.dumps(facts).encode() + b"\n" + cubin)


def make(
    source: KernelSource,
    dtypes: list[str],
    key: str,
    target: tuple[str, tuple[int, int]],
    files: Iterable[str],
) -> Binary:
    """Compile a program."""
    cubin, said = link(translated(source, dtypes, key, target, files), target[0])
    return Binary(cubin, kernel_of(cubin), **facts_of(said), seconds=0.0)


def translated(
    source: KernelSource,
    dtypes: list[str],
    key: str,
    target: tuple[str, tuple[int, int]],
    files: Iterable[str],
) -> bytes:
    """Return a program's code before linking, or the error at the user's line."""
    check_compilers()
    import emv_kernels.cuda.booleans  # noqa: F401 - tells numba of a type
    from emv.backends import compiling  # numba loads only where the cache has no binary
    from emv_kernels.lean import with_room

    module = load_module(f"emv_cuda_{key}", source.text, toolchain())
    try:
        program = getattr(module.program, "py_func", module.program)
        return bytes(with_room(lto_ir, program, dtypes, *target))
    except Exception as error:
        sys.modules.pop(module.__name__, None)
        log.debug("numba failed", exc_info=True)
        raise compiling.compile_error(error, source, str(module.__file__), files) from None


def ptx(
    source: KernelSource, dtypes: dict[str, str], *, arch: str, files: Iterable[str] = ()
) -> str:
    """Return the PTX of what `load` makes a binary of; nothing of it is kept."""
    kinds = [dtypes[name] for name in source.functions["program"]]
    key = source.digest(toolchain(), arch, repr(BOUNDS), " ".join(kinds))
    return linked(translated(source, kinds, key, (arch, BOUNDS), files), arch, "ptx")[0].decode()


def kernel_of(cubin: bytes) -> str:
    r"""Return the name of the one kernel of a cubin: its code has a section of its own.

    Examples
    --------
    >>> kernel_of(b"..\0.text.program_1\0.nv.info\0")
    'program_1'
    """
    return re.search(rb"\0\.text\.(\w+)\0", cubin)[1].decode()


def check_compilers() -> None:
    """Refuse to compile without the compilers, or with such as do not fit each other.

    No linker reads what a newer NVVM writes.

    Raises
    ------
    BackendUnavailableError
        If so; it says what to install.
    """
    if not version("numba-cuda"):  # numba alone has a CUDA target too, an old one
        raise BackendUnavailableError(
            "compiling for a GPU needs numba-cuda, which is not installed",
            remedy="Install it with: pip install 'emv-graph[cuda]'.",
        )
    compiler, arrays = version("numba-cuda"), version("numpy")
    if not takes_numpy(compiler, arrays):
        raise BackendUnavailableError(
            f"numba-cuda {compiler} does not work with NumPy {arrays}",
            remedy="Install an older NumPy: pip install 'numpy<2.5'.",
        )
    for library in ("nvvm", "nvJitLink", "nvrtc"):
        need(library)
    nvvm, linker = version("nvidia-nvvm"), version("nvidia-nvjitlink")
    if nvvm and linker and release(nvvm) > release(linker):
        raise BackendUnavailableError(
            f"nvJitLink {linker} cannot link what the newer NVVM {nvvm} makes",
            remedy=f"Install an NVVM that is not newer: pip install 'nvidia-nvvm<={linker}'.",
        )


def need(library: str) -> None:
    """Refuse to go on without one of CUDA's libraries."""
    from cuda import pathfinder

    try:
        pathfinder.load_nvidia_dynamic_lib(library)
    except pathfinder.DynamicLibNotFoundError:
        raise BackendUnavailableError(
            f"compiling for a GPU needs CUDA's library {library}, which is not installed",
            remedy="Install it with: pip install 'emv-graph[cuda]'.",
        ) from None


def takes_numpy(compiler: str, arrays: str) -> bool:
    """Return whether a version of numba-cuda works with one of NumPy: 0.30 calls what 2.5 lacks.

    Examples
    --------
    >>> takes_numpy("0.30.4", "2.4.6"), takes_numpy("0.30.4", "2.5.0")
    (True, False)
    """
    return release(compiler) >= (0, 31) or release(arrays) < (2, 5)


def release(text: str) -> tuple[int, ...]:
    """Return the first two numbers of a version.

    Examples
    --------
    >>> release("13.0.88")
    (13, 0)
    """
    return tuple(int(part) for part in text.split(".")[:2])


def lto_ir(program: Any, dtypes: list[str], arch: str, bounds: tuple[int, int]) -> bytes:
    """Return a program's code before linking."""
    import numpy as np
    from numba import cuda
    from numba.cuda.np.numpy_support import from_dtype
    from numba.cuda.types import CPointer, void

    digits, feature = re.fullmatch(r"sm_(\d+)([a-z]?)", arch).groups()
    capability = (int(digits[:-1]), int(digits[-1]))
    parameters = [
        from_dtype(np.dtype(name[1:])) if name[0] == "=" else CPointer(from_dtype(np.dtype(name)))
        for name in dtypes
    ]
    with lean_numba(capability):
        code, _ = cuda.compile(
            program,
            void(*parameters),
            device=False,
            abi="numba",
            output="ltoir",
            cc=(*capability, feature),
            launch_bounds=bounds,
        )
    return bytes(code)


def lean_numba(capability: tuple[int, int]) -> AbstractContextManager[None]:
    """Change what numba-cuda does while it compiles, besides what `emv_kernels.lean` says.

    * It asks the driver for the GPU's capability. The answer is the one asked for, so no driver is
      needed, and no context is made where there is one.
    * It hands a function to NVVM once per way in which it is called, in an order that varies.
    * It has NVVM look through all that it gives it first, which NVVM does again as it compiles.
    """
    from numba.cuda import codegen, dispatcher
    from numba.cuda.core.targetconfig import TargetConfig
    from numba.cuda.cudadrv import nvvm

    from emv.backends.cuda import frugal
    from emv_kernels.lean import changed, flag_changes

    device = types.SimpleNamespace(compute_capability=capability)
    return changed(
        [
            *flag_changes(TargetConfig),
            *frugal.changes(),
            (dispatcher, "get_current_device", lambda: device),
            (codegen.CUDACodeLibrary, "modules", property(modules_of)),
            (nvvm.CompilationUnit, "verify", lambda _: None),
        ]
    )


def modules_of(library: Any) -> list[Any]:
    """Return the LLVM modules of a function and of the functions it calls, each once.

    A caller comes before what it calls: NVVM drops what nobody has called so far.
    """
    found: dict[int, Any] = {}

    def number(library: Any) -> int:
        return int(library._module.name.rpartition("$")[2])

    def visit(library: Any) -> None:
        if number(library) not in found:
            found[number(library)] = library._module
            for called in sorted(library._linking_libraries, key=number):
                visit(called)

    visit(library)
    return list(found.values())


def link(code: bytes, arch: str) -> tuple[bytes, str]:
    """Return the cubin and what the linker says of it; see `linked`."""
    return linked(code, arch, "cubin")


def linked(code: bytes, arch: str, form: str) -> tuple[bytes, str]:
    """Return the code in a form, ``cubin`` or ``ptx``, and what the linker says of it.

    A product and a sum are rounded one by one (no fused multiply-add), as on the CPU. cuda.core has
    a linker too, but the form in which it passes that option is refused.
    """
    from cuda.bindings import nvjitlink

    options = [f"-arch={arch}", "-lto", "-fma=0", "-verbose", *(["-ptx"] if form == "ptx" else [])]
    handle = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, code, len(code), "program")
        nvjitlink.complete(handle)
        size = getattr(nvjitlink, f"get_linked_{form}_size")
        made = bytearray(size(handle))
        getattr(nvjitlink, f"get_linked_{form}")(handle, made)
        said = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, said)
    finally:
        nvjitlink.destroy(handle)
    return bytes(made).rstrip(b"\0") if form == "ptx" else bytes(made), said.decode()


def facts_of(log: str) -> dict[str, int]:
    """Return what the linker says of a kernel.

    Examples
    --------
    >>> facts_of("8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads, Used 9 registers")
    {'registers': 9, 'spill_bytes': 4, 'stack_bytes': 8, 'shared_bytes': 0}
    """

    def total(pattern: str) -> int:
        return sum(map(int, re.findall(pattern, log)))

    return {
        "registers": total(r"Used (\d+) registers"),
        "spill_bytes": total(r"(\d+) bytes spill"),
        "stack_bytes": total(r"(\d+) bytes stack frame"),
        "shared_bytes": total(r"(\d+) bytes smem"),
    }
