"""What a machine offers to programs: `show_config`, and the command ``emv doctor``.

Versions are those of the installed distributions; nothing heavy is imported but the GPU's driver.
"""

from __future__ import annotations

import itertools
import os
import platform
import sys

from emv.backends import simulated
from emv.backends.cuda import driver
from emv.backends.cuda.compile import release, takes_numpy
from emv.config import config
from emv.errors import BackendUnavailableError
from emv.imports import entry_points, version_of
from emv.version import __version__

ABSENT = "not installed"


def show_config() -> None:
    """Print what this machine offers: versions, cores, GPUs, the cache, networkx' backends.

    Examples
    --------
    >>> import emv
    >>> emv.show_config()  # doctest: +ELLIPSIS
    emv ...
    """
    sys.stdout.write(table(facts()))


def facts() -> dict[str, str]:
    """Return what `show_config` prints, by name.

    Examples
    --------
    >>> "numba" in facts()
    True
    """
    found = {"emv": __version__}
    found["python"] = f"{platform.python_version()}, {platform.platform(terse=True)}"
    found |= {name: version(name) for name in ("numpy", "numba", "scipy")}
    found["processors"] = f"{os.cpu_count()}, of which programs take {config.num_threads}"
    found["backend"] = f"{config.backend} (EMV_BACKEND)"
    found |= gpu_facts()
    found["numba-cuda"] = numba_cuda()
    found["compilers"] = compilers()
    found["cache"] = cache()
    found["networkx"] = networkx_backend()
    return found


def table(rows: dict[str, str]) -> str:
    """Return rows as aligned lines.

    Examples
    --------
    >>> print(table({"emv": "0.1", "numpy": "2.0"}), end="")
    emv    0.1
    numpy  2.0
    """
    width = max(map(len, rows))
    return "".join(f"{name:{width}}  {value}\n" for name, value in rows.items())


def version(*distributions: str) -> str:
    """Return the version of the first of some distributions that is installed."""
    return version_of(*distributions) or ABSENT


def gpu_facts() -> dict[str, str]:
    """Return the GPUs and their driver, or why programs cannot run on one."""
    if simulated.is_asked_for():
        return {"cuda:0": f"simulated in Python, by {simulated.SWITCH}=1"}
    try:
        api = driver.api()
    except BackendUnavailableError as error:
        return {"GPU": f"none: {error.what}"}
    rows, gpus = {}, [driver.CudaDriver(k) for k in range(driver.num_devices())]
    for ordinal, gpu in enumerate(gpus):
        before = gpu.use()
        free, total = gpu.memory()
        gpu.leave(before)
        rows[f"cuda:{ordinal}"] = (
            f"{gpu.name}, compute capability {'.'.join(map(str, gpu.capability))}, "
            f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
        )
    rows |= links(gpus)
    number = int(driver.checked(api.cuDriverGetVersion()))
    rows["CUDA driver"] = f"for CUDA {number // 1000}.{number % 1000 // 10} and older"
    return rows


def links(gpus: list[driver.CudaDriver]) -> dict[str, str]:
    """Return for each pair of GPUs how a program that runs on both hands on what they read."""
    rows = {}
    for one, other in itertools.combinations(gpus, 2):
        said = "no access to each other's memory: the host hands on what parts read"
        if one.reaches(other.ordinal) and other.reaches(one.ordinal):
            atomics = one.has_atomics(other.ordinal) and other.has_atomics(one.ordinal)
            said = f"reach each other's memory, {'also' if atomics else 'but not'} by atomics"
        rows[f"cuda:{one.ordinal}, cuda:{other.ordinal}"] = said
    return rows


def numba_cuda() -> str:
    """Return the version of numba-cuda, and whether it works with this NumPy."""
    found = version("numba-cuda")
    fits = found == ABSENT or takes_numpy(found, version("numpy"))
    return found if fits else f"{found}: does not work with NumPy 2.5 or newer"


def compilers() -> str:
    """Return the versions of what compiles for a GPU, and whether they fit each other.

    What nvvm writes, nvjitlink links: an older nvjitlink does not understand it.
    """
    nvvm = version("nvidia-nvvm", "nvidia-cuda-nvcc-cu12")
    linker = version("nvidia-nvjitlink", "nvidia-nvjitlink-cu12")
    said = f"nvvm {nvvm}, nvjitlink {linker}"
    if ABSENT in (nvvm, linker):
        return said
    return said + ("" if release(linker) >= release(nvvm) else ": nvjitlink must not be the older")


def cache() -> str:
    """Return where compiled programs are kept, and how many bytes they take."""
    folder = config.cache
    if not folder.is_dir():
        return f"{folder}, empty"
    sizes = [each.stat().st_size for each in folder.rglob("*") if each.is_file()]
    able = "" if os.access(folder, os.W_OK) else ", not writable"
    return f"{folder}, {len(sizes)} files of {sum(sizes) / 2**20:.1f} MiB{able}"


def networkx_backend() -> str:
    """Return the version of networkx, and whether it knows emv as a backend."""
    known = "knows" if "emv" in entry_points("networkx.backends") else "does not know"
    return f"{version('networkx')}, {known} the backend emv"
