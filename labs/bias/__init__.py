"""Influences other than skill on places and votes, measured from a tournament's files."""
