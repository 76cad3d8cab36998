"""Views of a history: one module splits a history into blocks, and the exporters format blocks."""
