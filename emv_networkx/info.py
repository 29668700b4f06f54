"""What networkx asks every backend on its import: summary, functions and configuration.

Imported by every ``import networkx``, so neither emv nor numpy are imported here.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = """
""".split()


def get_info() -> dict[str, Any]:
    """Return what networkx wants to know of the backend.

    Returns
    -------
    dict
        ``functions`` by name, and ``default_config``: ``device``, where programs run, by default
        as ``EMV_BACKEND`` says.
    """
    return {
        "backend_name": "emv",
        "project": "emv",
        "package": "emv_networkx",
        "short_summary": "Programs compiled for CPU or GPU; results are those of networkx.",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {"device": None},
    }
