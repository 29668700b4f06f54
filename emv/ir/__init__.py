"""What the stages hand to each other: frozen dataclasses, each with a stable text."""
