"""The arena in a browser, and for programs over the network."""
