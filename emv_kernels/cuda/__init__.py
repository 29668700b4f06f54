"""Device code that generated kernels call on a GPU, under the names of `emv_kernels.cpu`.

Arrays are raw pointers. In numba's simulator, which has neither pointers nor inline assembly, every
function has a twin in plain Python with the same meaning.
"""
