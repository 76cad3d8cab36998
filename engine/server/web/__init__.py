"""The callers' side: rights, limits, and the form of answers."""
