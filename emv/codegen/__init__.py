"""Schedule -> kernel text. No numba here: the text is compiled by a backend."""
