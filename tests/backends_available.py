"""The backends that the tests of results run on; the eager one is always among them."""

from __future__ import annotations

import emv

BACKENDS = ("python", "cpu", "cuda") if emv.cuda_available() else ("python", "cpu")
