"""A profile as a picture: where each superstep's time went, and how much it had to do.

Above, one bar per superstep, its launches stacked; below, frontier and edges on a logarithmic
scale. Thousands of supersteps are drawn as ranges, so that bars stay wide enough to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from emv.errors import ArgumentError, BackendUnavailableError
from emv.imports import optional
from emv.shown.rows import LaunchProfile, SuperstepProfile

MOST_BARS = 400
MOST_LAUNCHES = 8  # that have a colour of their own; the rest share one
OTHERS = "others"


def plot(
    title: str,
    launches: Sequence[LaunchProfile],
    supersteps: Sequence[SuperstepProfile],
    path: Any = None,
) -> Any:
    """Draw a profile, the longest launch first; see `emv.shown.profile.Profile.plot`."""
    figure = figure_class()(figsize=(9, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    ranges = np.array_split(np.arange(len(supersteps)), min(MOST_BARS, max(1, len(supersteps))))
    parts = [[supersteps[k] for k in each] for each in ranges if len(each)]
    draw_times(upper, [each.name for each in launches], parts)
    draw_work(lower, parts)
    upper.set_title(title, fontsize="medium")
    if path is not None:
        try:
            figure.savefig(path)
        except (OSError, ValueError) as error:  # ValueError: an ending that means no format
            raise ArgumentError(
                f"the plot cannot be saved as {path}: {error}",
                remedy="Name a file that may be written, such as profile.png or profile.svg.",
            ) from None
    return figure


def figure_class(caller: str = "plot") -> Any:
    """Return matplotlib's figure, which needs no screen, for a function of this name.

    Raises
    ------
    BackendUnavailableError
        If matplotlib is not installed.
    """
    try:
        return optional("matplotlib.figure").Figure
    except ImportError as error:
        raise BackendUnavailableError(
            f"{caller}() needs matplotlib, and it cannot be imported: {error}",
            remedy="Install the extra: pip install 'emv-graph[viz]'.",
        ) from None


def draw_times(axes: Any, launches: list[str], parts: list[list[SuperstepProfile]]) -> None:
    """Draw the seconds of each launch, one on top of the other."""
    names = launches[:MOST_LAUNCHES]
    if len(launches) > MOST_LAUNCHES:
        names.append(OTHERS)
    heights = {name: np.zeros(len(parts)) for name in names}
    for place, part in enumerate(parts):
        for step in part:
            for name, seconds in step.launches.items():
                heights[name if name in heights else OTHERS][place] += 1e3 * seconds
    left, width = places_of(parts)
    bottom = np.zeros(len(parts))
    for name, height in heights.items():
        axes.bar(left, height, width, bottom, align="edge", label=name)
        bottom += height
    axes.set_ylabel("ms")
    if heights:
        axes.legend(fontsize="small")


def draw_work(axes: Any, parts: list[list[SuperstepProfile]]) -> None:
    """Draw how much there was to do."""
    left, width = places_of(parts)
    middle = left + width / 2
    for name in ("frontier", "edges"):
        counts = [sum(getattr(step, name) for step in part) for part in parts]
        axes.plot(middle, np.maximum(counts, 0.5), marker=".", label=name)
    axes.set_yscale("log")
    axes.set_xlabel("superstep")
    axes.legend(fontsize="small")


def places_of(parts: list[list[SuperstepProfile]]) -> tuple[Any, Any]:
    """Return where bars begin and how wide they are."""
    left = np.array([part[0].number - 0.45 for part in parts])
    return left, np.array([0.9 * len(part) for part in parts])
