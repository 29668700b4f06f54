"""What the tests draw: the strategies that users have, too."""

from emv.testing.strategies import TIED_WEIGHTS, edge_pairs, graphs

__all__ = ["TIED_WEIGHTS", "edge_pairs", "graphs"]
