"""`talks.py`: a discussion that is held in the terminal."""
