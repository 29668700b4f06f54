"""What a program for a GPU was compiled to: PTX, which NVIDIA's virtual machine reads, and SASS.

PTX comes from the linker that makes the binary, of the same code and with the same options; SASS is
the binary as ``nvdisasm`` lists it. Neither needs a GPU.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from emv.backends.cuda import compile as compiler
from emv.errors import BackendUnavailableError
from emv.ir.kernel import KernelSource

FORMS = ("ptx", "sass")


def assembly(
    source: KernelSource, dtypes: dict[str, str], form: str, arch: str, files: Iterable[str] = ()
) -> str:
    """Return a program in one of `FORMS`; the parameters are those of `compile.load`.

    Raises
    ------
    CompileError
        If numba cannot translate the program.
    BackendUnavailableError
        If the compilers are missing, or nvdisasm is.
    """
    if form == "ptx":
        return compiler.ptx(source, dtypes, arch=arch, files=files)
    return sass(compiler.load(source, dtypes, arch=arch, files=files).cubin)


def disassembler() -> str | None:
    """Return the path of nvdisasm, if it is installed."""
    from cuda import pathfinder

    found: str | None = pathfinder.find_nvidia_binary_utility("nvdisasm")
    return found


def sass(cubin: bytes) -> str:
    """Return the instructions of a binary, as nvdisasm lists them.

    Raises
    ------
    BackendUnavailableError
        If nvdisasm is not installed.
    """
    program = disassembler()
    if program is None:
        raise BackendUnavailableError(
            "SASS is listed by nvdisasm, which is not installed",
            remedy="Install it with: pip install 'nvidia-cuda-nvdisasm'; or ask for form='ptx'.",
        )
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        Path(file.name).write_bytes(cubin)
        command = [program, "-c", file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
