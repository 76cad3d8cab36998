"""Views of a history: one module splits it into blocks, and each exporter only formats them."""
