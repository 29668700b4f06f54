"""Runs of programs from their beginning to their results."""
