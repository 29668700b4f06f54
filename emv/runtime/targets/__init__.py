"""Where compiled programs run: cores and GPUs."""
