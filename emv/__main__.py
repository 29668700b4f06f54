"""``python -m emv`` is the command ``emv``."""

from __future__ import annotations

import sys

from emv.cli import main

if __name__ == "__main__":
    sys.exit(main())
