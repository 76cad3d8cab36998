"""Measures a language model in fixed tasks against fixed scripts, from a floor to a ceiling."""

USUAL_SUITE = "arena-1"
