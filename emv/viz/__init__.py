"""Pictures; what draws them comes with the extra ``viz``."""
