"""What is imported otherwise than by an ``import`` statement; nothing else names importlib.

Optional libraries with the extras that install them, versions of what is installed, generated
modules, and what the package's face loads when it is first asked for. Modules of emv are imported
by statements, inside a function where only some runs need them, so that the layers are checked.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import sys
from types import CodeType, ModuleType
from typing import Any

from emv.errors import ArgumentError

EXTRAS = {
    "compression": "zstd",  # Python's own, from 3.14 on
    "cuda": "cuda",
    "fastapi": "serve",
    "fsspec": "remote",
    "greenlet": "simulator",
    "matplotlib": "viz",
    "networkit": "bench",
    "numba_cuda": "cuda",
    "nvtx": "nvtx",
    "pandas": "pandas",
    "pyarrow": "parquet",
    "pydantic": "serve",
    "pymetis": "partition",
    "tqdm": "progress",
    "uvicorn": "serve",
    "zstandard": "zstd",
}
"""The libraries that need not be installed, and the extra of emv-graph that installs each."""

DESCRIBED = (".dist-info", ".egg-info")  # how folders end that describe what is installed

OTHERS = {
    "dgl": "see https://www.dgl.ai/pages/start.html",
    "graph_tool": "conda install -c conda-forge graph-tool",
    "igraph": "pip install igraph",
    "polars": "pip install polars",
    "torch": "pip install torch",
    "torch_geometric": "pip install torch_geometric",
}
"""Libraries that emv only hands graphs to, and how each is installed."""


def optional(module: str) -> Any:
    """Return a module of one of the optional libraries.

    Raises
    ------
    ImportError
        If the library is not installed, or does not work.

    Examples
    --------
    >>> optional("os")
    Traceback (most recent call last):
    KeyError: 'os'
    """
    _refuse_unknown(module)
    return importlib.import_module(module)


def required(module: str) -> Any:
    """Return a module of an optional library that the caller asked for.

    Raises
    ------
    ArgumentError
        If it is not installed, with the extra that installs it.
    """
    try:
        return optional(module)
    except ImportError:
        other = OTHERS.get(module.partition(".")[0])
        remedy = other or f'pip install "emv-graph[{extra_of(module)}]"'
        raise ArgumentError(f"{module} is not installed", remedy=remedy) from None


def _refuse_unknown(module: str) -> None:
    """Refuse what is none of the optional libraries."""
    if module.partition(".")[0] not in OTHERS:
        extra_of(module)


def extra_of(module: str) -> str:
    """Return the extra that installs the library of a module.

    Examples
    --------
    >>> extra_of("matplotlib.figure")
    'viz'
    """
    return EXTRAS[module.partition(".")[0]]


def is_installed(module: str) -> bool:
    """Return whether a module of an optional library can be found; it is not loaded."""
    _refuse_unknown(module)
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # of the package around it
        return False


def version_of(*distributions: str) -> str | None:
    """Return the version of the first of some distributions that is installed.

    Examples
    --------
    >>> version_of("no-such-thing", "numpy") is None, version_of("no-such-thing") is None
    (False, True)
    """
    for each in distributions:
        found = _folders_of_versions().get(_as_key(each))
        if found is not None:
            return found or _described(each)
    return None


@functools.cache
def _folders_of_versions() -> dict[str, str]:
    """Return the versions of what is installed, as the folders are called that describe it.

    To look there takes a millisecond, and to load what reads descriptions a dozen or two.
    """
    found: dict[str, str] = {}
    for place in sys.path:
        with contextlib.suppress(OSError):  # no folder, as an archive
            for name in os.listdir(place or "."):  # noqa: PTH208 - a path takes longer
                if name.endswith(DESCRIBED):
                    package, version = f"{name.rpartition('.')[0]}-".split("-")[:2]
                    key = _as_key(package)
                    found[key] = found.get(key) or version  # beside its source a package has none
    return found


def _described(distribution: str) -> str | None:
    """Return the version of what is installed, as its description says."""
    from importlib import metadata  # loading it takes a while

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _as_key(distribution: str) -> str:
    """Return the name of a package in the one spelling by which all are compared."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def entry_points(group: str) -> set[str]:
    """Return the names that installed distributions enter under a group."""
    from importlib import metadata

    return {each.name for each in metadata.entry_points(group=group)}


def module_of_code(name: str, file: str, code: CodeType) -> ModuleType:
    """Return the module that compiled text makes, imported under a name of its own.

    The caller sees to it that one thread at a time asks for a name.

    Parameters
    ----------
    name : str
        Of the module.
    file : str
        Where its text is, for whoever shows lines of it.
    code : code
        Of the text.
    """
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    try:
        exec(code, vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def later(module: str, name: str) -> Any:
    """Return what a package's face hands on when it is first asked for.

    Only for a face, which stands above all that it shows: such imports pass no layer.

    Parameters
    ----------
    module : str
        Where it is.
    name : str
        A name in the module, or the last part of the module's own.
    """
    found = importlib.import_module(module)
    return found if module.endswith(f".{name}") else getattr(found, name)
