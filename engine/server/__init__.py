"""Serve the arena to browsers, and to programs over the network."""
