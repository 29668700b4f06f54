"""The CUDA backend: kernels compiled once per text, bound to device arrays and launched.

Only `compile` imports numba's CUDA, and only for a program that the cache does not hold.
"""
