"""Changes that come one after another, read block by block and applied version by version."""
