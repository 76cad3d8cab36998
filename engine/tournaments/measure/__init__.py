"""Measures a language model in fixed tasks; a floor and a ceiling script score 0 and 100 points."""

USUAL_SUITE = "arena-1"
