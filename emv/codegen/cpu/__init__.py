"""Kernel text for CPU cores: workers that take blocks of work, launches that start them, loops."""
