"""numpy under the name of CuPy: with the one argument more that CuPy's generator takes."""

from __future__ import annotations

import types
from typing import Any

import numpy as np


class Random(np.random.RandomState):
    """numpy's generator, which draws float64, and then converts."""

    def rand(self, size: int, dtype: Any = np.float64) -> Any:
        return super().rand(size).astype(dtype)


class NumpyModule:
    """numpy with the generator above."""

    random = types.SimpleNamespace(RandomState=Random)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


xp = NumpyModule()
