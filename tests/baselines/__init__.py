"""Hand-written numba.cuda kernels, so that the cost of the language is known: one method a file.

Each file has ``prepare(graph arrays on the device, ...)``, which allocates what the method needs
and returns the function that is timed: it takes a source (or a number of iterations) and returns a
device array that the next call writes again. `KERNELS` of a file holds each kernel with the
signature it is launched with, so that tests compile them where there is no GPU. Arrays are numba's
device arrays: ``first`` uint32[num_vertices + 1] and ``other`` uint32[num_arcs], compressed rows.
"""
