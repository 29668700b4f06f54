"""Generated modules: kept in the cache folder as text, and imported.

A file is named after the hash of what is in it and of everything that compiles it, so what a
compiler keeps beside it is right in every later process (`emv_kernels.kept`). The file is for
people: what runs is the text that this process made, or its bytecode, kept with a checksum. The one
that Python keeps has none, and with a flipped bit in it may crash the process.
"""

from __future__ import annotations

import linecache
import marshal
import threading
from pathlib import Path
from types import CodeType, ModuleType

from emv.config import config
from emv.imports import module_of_code
from emv_kernels import forks
from emv_kernels.kept import cache_folder, keep, kept, write_whole

IMPORTING = threading.RLock()
forks.wait_for(IMPORTING, 0)


def load_module(name: str, text: str, toolchain: str) -> ModuleType:
    """Return the module that a text makes, imported under a name of its own.

    A thread waits while another one imports it, as Python's own import makes it wait.

    Parameters
    ----------
    name : str
        Of the module; no two texts have the same.
    text : str
        What is in it.
    toolchain : str
        A digest of all that compiles it.
    """
    with IMPORTING:
        folder = cache_folder(config.cache, toolchain)
        if folder is None:
            file = f"<{name}>"
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
            return module_of_code(name, file, compile(text, file, "exec"))
        path = folder / f"{name}.py"
        if not _holds(path, text.encode()):
            write_whole(path, text.encode())
        return module_of_code(name, str(path), _code(path, text))


def _holds(path: Path, data: bytes) -> bool:
    """Return whether a file holds some bytes and nothing else."""
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def _code(path: Path, text: str) -> CodeType:
    """Return the bytecode of a text: what is kept beside its file, or new."""
    beside = path.with_suffix(".code")
    content = kept(beside)
    if content is None:
        code = compile(text, str(path), "exec")
        keep(beside, marshal.dumps(code))
        return code
    code = marshal.loads(content)
    assert isinstance(code, CodeType)
    return code
