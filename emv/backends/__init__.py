"""Where programs run: eager Python, which defines the language, and compiled CPU cores."""
