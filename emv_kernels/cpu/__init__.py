"""Kernels for the cores of the host."""
