"""Utterances: cleaned, compared with earlier ones, and remembered."""
