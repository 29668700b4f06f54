"""Where numba keeps what it compiled of this package: beside emv's own kernels, not in the package.

A package folder may not be writable, and files left in it outlive the package.
numba asks a list of locators for a function's cache folder; the one here answers for this package
alone, as PyTensor does for its generated code. What it cannot read there counts as not kept.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

from numba.core.caching import CacheImpl, FunctionCache, _CacheLocator

log = logging.getLogger("emv")

HERE = Path(__file__).resolve().parent


class KernelLocator(_CacheLocator):
    """Keeps the compiled form of this package's functions in ``$EMV_CACHE/kernels``."""

    def __init__(self, source: Path) -> None:
        self.source = source
        root = Path(os.environ.get("EMV_CACHE", "~/.cache/emv")).expanduser()
        self.folder = root / "kernels" / hashlib.sha256(str(source).encode()).hexdigest()[:12]

    def get_cache_path(self) -> str:
        """Return the folder of the cache files."""
        return str(self.folder)

    def get_source_stamp(self) -> tuple[float, int]:
        """Return what changes when the source does."""
        stat = self.source.stat()
        return stat.st_mtime, stat.st_size

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name apart: nothing, as their files have folders."""
        return ""

    @classmethod
    def from_function(cls, function: object, file: str) -> KernelLocator | None:
        """Return a locator for a function of this package, if its folder can be written."""
        source = Path(file).resolve()
        if HERE not in source.parents:
            return None
        locator = cls(source)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None  # numba's own locators come next
        return locator


def load_whole(cache: Any, signature: Any, context: Any) -> Any:
    """Return what is kept of a function, or nothing, also where a file of it is damaged."""
    try:
        return LOAD(cache, signature, context)
    except Exception as error:
        if not isinstance(cache._impl.locator, KernelLocator):
            raise
        folder = cache.cache_path
        log.warning("kernels kept in %s are of no use (%s) and compiled anew", folder, error)
        cache.flush()
        return None


LOAD = FunctionCache.load_overload
if KernelLocator not in CacheImpl._locator_classes:
    CacheImpl._locator_classes.insert(0, KernelLocator)
    FunctionCache.load_overload = load_whole
