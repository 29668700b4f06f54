"""``emv doctor``: what this machine offers to programs."""

from __future__ import annotations

import argparse
import json

from emv.runtime.doctor import facts, table


def execute(options: argparse.Namespace) -> str:
    """Return the facts as a table, or with ``--json`` as an object."""
    found = facts()
    return json.dumps(found) + "\n" if options.json else table(found)
