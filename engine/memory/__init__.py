"""What outlives a turn: texts as vectors, and the corpus of what was said."""
