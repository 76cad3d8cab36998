"""The arena in a browser, and for programs on the wire."""
