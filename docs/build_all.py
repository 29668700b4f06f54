"""Bring everything that is generated up to date: after an algorithm was added, or a pass changed.

Usage: python docs/build_all.py

In this order: the index of `emv.algorithms`, the reference, the map of the papers, the gallery, the
functions of networkx, the page of benchmarks, and the texts that tests compare with (kernels and
explanations of every algorithm). ``git diff`` then shows what changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = ("algorithms", "reference", "paper_map", "gallery", "networkx")
GOLDEN = (
    "tests/unit/codegen/test_kernel_text.py",
    "tests/unit/codegen/test_tracing.py",
    "tests/unit/lang/test_trace.py",
    "tests/algorithms/test_traced.py",
    "tests/examples/test_examples_md.py",
)


def main() -> int:
    """Run every builder; stop at the first that fails."""
    commands = [[str(HERE / f"build_{page}.py")] for page in PAGES]
    commands.append(["-m", "docs.build_benchmarks"])
    commands.append(["-m", "pytest", "-q", "--update-golden", *GOLDEN])
    for command in commands:
        print(*command, flush=True)
        done = subprocess.run([sys.executable, *command], cwd=HERE.parent, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
