"""Kernel text for a GPU: one cooperative kernel per program, its phases between grid barriers."""
