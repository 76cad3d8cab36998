"""Journals and logs, written so that nothing of a game is lost."""
