"""Hand-written numba kernels. They import numba and nothing of emv; `cpu` runs on the host."""
