"""Pictures of graphs: where vertices lie (`layout`), drawn by matplotlib (`draw`), and as pages."""

from __future__ import annotations

from emv.viz.draw import draw
from emv.viz.layout import Layout, layout
from emv.viz.view import View, view

__all__ = ["Layout", "View", "draw", "layout", "view"]
