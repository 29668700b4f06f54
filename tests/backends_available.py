"""The backends that the tests of results run on; the eager one is always among them."""

from __future__ import annotations

from emv.testing import backends

BACKENDS = backends()
