"""The language: from a user's Python functions to bodies, effects and a traced program."""
