"""Kernels for the cores of the host."""

from __future__ import annotations

from emv_kernels import cache, forks

__all__ = ["cache", "forks"]
