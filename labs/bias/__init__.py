"""Measure influences other than skill on places and votes, from a tournament's files."""
