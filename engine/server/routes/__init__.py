"""The server's routes: one file per resource."""
