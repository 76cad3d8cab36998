"""Reads and checks the events of foreign games in which players vote each other out."""
