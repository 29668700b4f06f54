"""Pictures of graphs: where vertices lie (`layout`), drawn by matplotlib (`draw`), and as pages."""

from __future__ import annotations

from emv.viz.layout import Layout, layout

__all__ = ["Layout", "layout"]
