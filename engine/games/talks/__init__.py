"""Talks: a discussion in which game theory decides who speaks, with which move, and when it is over."""
