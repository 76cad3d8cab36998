"""What outlives a turn: texts as vectors, the corpus of what was said, and the store of sessions."""
