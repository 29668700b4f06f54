"""emv as a backend of networkx: ``nx.pagerank(G, backend="emv")`` runs a program of emv.

networkx finds the backend by the entry points of the distribution, see ``docs/networkx.md``. Every
``import networkx`` imports this package for `emv.networkx.info`, so nothing is imported here.
"""
