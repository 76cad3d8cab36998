"""Talks: discussions in which game theory decides who speaks, with which move, and the end."""
