"""How Sphinx builds these pages: `make docs`."""

project = "CompoWorld"
copyright = "2026, the CompoWorld authors"  # noqa: A001  # Sphinx's name
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "CompoWorld"
exclude_patterns = ["_build"]
highlight_language = "none"
