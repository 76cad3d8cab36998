"""Measures a language model in fixed tasks, in points from 0 (floor script) to 100 (ceiling)."""

USUAL_SUITE = "arena-1"
