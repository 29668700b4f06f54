"""How Sphinx makes the site; `docs/build_site.py` lays out the pages beside this file."""

project = "emv"
author = "The emv developers"
project_copyright = "the emv developers"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "emv"
html_static_path = ["style"]
html_css_files = ["emv.css"]
html_favicon = "style/icon.svg"
html_copy_source = False
html_show_sphinx = False
highlight_language = "python3"
pygments_style = "tango"
pygments_dark_style = "monokai"
