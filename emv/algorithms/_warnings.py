"""Warnings of pages: at the line of whoever called them."""

from __future__ import annotations

import sys
import types
import warnings


def warn(what: str, kind: type[Warning]) -> None:
    """Warn at the first line outside of emv that led here."""
    depth = 1
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "emv":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(what, kind, stacklevel=depth)
