"""Data sets from games: tables of events, and language models' decisions as training data."""
