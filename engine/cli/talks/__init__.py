"""`talks.py`: hold a discussion in the terminal."""
