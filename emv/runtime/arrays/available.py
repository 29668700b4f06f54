"""What memory the machine, or the container that a process runs in, has left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKED_FROM = 2**24  # bytes below which nobody asks how much memory there is


def available_bytes() -> int:
    """Return the memory that this process may still take, as far as the system tells."""
    return max(0, min(_unused_memory(), *_control_group_limits(Path("/sys/fs/cgroup"))))


def _unused_memory() -> int:
    """Return what the machine has left, caches that it can drop included."""
    try:
        with Path("/proc/meminfo").open() as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:  # no Linux
        pass
    pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")


def _control_group_limits(folder: Path) -> Iterator[int]:
    """Yield what the limit of a container leaves, its caches of files not counted as used."""
    yield sys.maxsize
    for limit, used in (
        (folder / "memory.max", "memory.current"),
        (folder / "memory" / "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        try:
            most = int(limit.read_text())
            now = int(limit.with_name(used).read_text())
            statistics = limit.with_name("memory.stat").read_text().splitlines()
        except (OSError, ValueError):  # there is none: no such file, or the word "max"
            continue
        caches = (line.split() for line in statistics if line.startswith(_FILE_CACHES))
        yield most - now + sum(int(nbytes) for _, nbytes in caches)


_FILE_CACHES = ("active_file ", "inactive_file ")


def readable(nbytes: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> readable(900), readable(1536), readable(3 * 2**30)
    ('900 B', '1.5 KiB', '3.0 GiB')
    """
    if nbytes < 1024:
        return f"{nbytes} B"
    size = float(nbytes)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"
