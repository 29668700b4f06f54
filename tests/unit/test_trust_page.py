"""The page about trust names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_tests_that_the_page_names_are_there():
    found, path = 0, None
    for name, test in re.findall(
        r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", (ROOT / "docs/design/trust.md").read_text()
    ):
        path = ROOT / name if name else path
        assert path is not None
        assert f"def {test}" in path.read_text(), (name, test)
        found += bool(test)
    assert found > 50
