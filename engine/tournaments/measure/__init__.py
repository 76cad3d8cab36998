"""Measures a language model in fixed tasks with scripts, in points from floor to ceiling."""

USUAL_SUITE = "arena-1"
