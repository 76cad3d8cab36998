"""Views of a history: it is walked once into blocks, and each exporter only formats blocks."""
