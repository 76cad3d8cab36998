"""Influences on places and votes besides skill, measured from a tournament's files."""
