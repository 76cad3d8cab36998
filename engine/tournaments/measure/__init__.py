"""Measures a language model in fixed tasks; the floor script scores 0 points, the ceiling 100."""

USUAL_SUITE = "arena-1"
