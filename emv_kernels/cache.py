"""What numba compiled of this package, and of modules made of its functions, is kept beside them.

numba asks a list of locators for the folder in which it may keep a function; the one here answers
for this package, whose own folder may not be writable and should not be filled, and for the modules
that emv generates. numba's index of a function, in which two processes can take each other's
entries, and its files without checksums are replaced: a file for each function and types, named by
the digest of what numba would look up in the index (`emv_kernels.kept`).
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import Cache, CacheImpl, _CacheLocator
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from emv_kernels.kept import DEFAULT, HERE, cache_folder, digest_of_kernels, keep, kept

log = logging.getLogger("emv")

GENERATED = "emv_generated_"
"""How modules begin that emv writes; a digest of their text and of the toolchain follows."""


@functools.cache
def toolchain() -> str:
    """Return the versions and sources that a compiled kernel depends on, as one digest."""
    parts = (numba.__version__, llvmlite.__version__, sys.version, digest_of_kernels())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


if numba.config.DISABLE_JIT:
    log.warning(
        "NUMBA_DISABLE_JIT is not heeded from here on: emv's kernels are nothing if they are not "
        "compiled; backend='python' runs programs as Python"
    )
    numba.config.DISABLE_JIT = 0

toolchain()  # before any other module of this package is imported: what it says is older than they


class KernelLocator(_CacheLocator):
    """Keeps functions of this package in ``$EMV_CACHE/TOOLCHAIN``, generated ones by their text.

    Parameters
    ----------
    source : Path
        The file of a function's text.
    """

    def __init__(self, source: Path) -> None:
        self.source = source
        self.folder: Path | None
        if is_generated(source):
            self.folder = source.parent if source.is_absolute() else None
        else:
            root = os.path.expanduser(os.environ.get("EMV_CACHE", "") or DEFAULT)  # noqa: PTH111
            self.folder = cache_folder(Path(root), toolchain())

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder is made when it is first asked for, if it can be."""

    def get_cache_path(self) -> str:
        """Return the folder of the cache files; nothing where none are kept."""
        return "" if self.folder is None else str(self.folder)

    def get_source_stamp(self) -> str:
        """Return what changes when the source does."""
        return toolchain()

    def get_disambiguator(self) -> str:
        """Return what tells modules of one name apart."""
        return self.source.parent.name

    @classmethod
    def from_function(cls, function: object, file: str) -> KernelLocator | None:
        """Return a locator for a function of this package or of a generated module."""
        source = Path(file).resolve() if HERE.name in file else Path(file)
        return cls(source) if is_generated(source) or HERE in source.parents else None


def is_generated(source: Path) -> bool:
    """Return whether a module is one that emv writes; one that is no file has ``<`` before it."""
    return source.name.removeprefix("<").startswith(GENERATED)


class KeptFunctions:
    """A file for each of the types that a function was compiled for, in place of numba's index.

    Parameters
    ----------
    folder : Path or None
        Where they are; None to keep nothing.
    name : str
        What tells the function from others there.
    """

    def __init__(self, folder: Path | None, name: str) -> None:
        self.folder = folder
        self.name = name

    def load(self, key: tuple[Any, ...]) -> Any:
        """Return what is kept under a key of numba's; None if nothing is."""
        content = None if self.folder is None else kept(self._path(self.folder, key))
        if content is None:
            return None
        of, compiled = pickle.loads(content)
        return compiled if of == key else None

    def save(self, key: tuple[Any, ...], compiled: Any) -> None:
        """Keep what was compiled for a key of numba's."""
        if self.folder is not None:
            keep(self._path(self.folder, key), dumps((key, compiled)))

    def flush(self) -> None:
        """Forget all that is kept of the function."""
        for path in [] if self.folder is None else self.folder.glob(f"{self.name}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, folder: Path, key: tuple[Any, ...]) -> Path:
        return folder / f"{self.name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


def begin_cache(cache: Any, function: Any) -> None:
    """Begin numba's cache of a function, with files of our own where it is one of ours."""
    BEGIN(cache, function)
    locator = cache._impl.locator
    if isinstance(locator, KernelLocator):
        cache._cache_file = KeptFunctions(locator.folder, cache._impl.filename_base)
        cache.load_overload = functools.partial(load_kept, cache)


def load_kept(cache: Any, sig: Any, context: Any) -> Any:
    """Return what is kept of a function, in place of numba's ``Cache.load_overload``.

    numba first loads all that its compiler knows, scipy's linear algebra with it. That is most of
    the time of a first call, and code that is compiled already needs nothing of it but the
    functions of numba's runtime; what is not kept has numba load all before it compiles.
    """
    rtsys.initialize(context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(sig, context)


def is_kept(module: str, name: str) -> bool:
    """Return whether a function of a module of this package is kept, for whatever types."""
    folder = KernelLocator(HERE / "cpu" / f"{module}.py").folder
    return folder is not None and any(folder.glob(f"{module}.{name}-*.nbc"))


BEGIN = Cache.__init__
if KernelLocator not in CacheImpl._locator_classes:
    CacheImpl._locator_classes.insert(0, KernelLocator)
    Cache.__init__ = begin_cache
