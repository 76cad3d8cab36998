"""Journals and logs, written so that a crash loses no part of a game."""
