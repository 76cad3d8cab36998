"""The designs' own faces for Python."""
