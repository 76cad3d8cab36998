"""Influences on places and votes, apart from skill, measured from a tournament's files."""
