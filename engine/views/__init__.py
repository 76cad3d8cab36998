"""Views of a history: it is split into blocks once, and each exporter only formats blocks."""
