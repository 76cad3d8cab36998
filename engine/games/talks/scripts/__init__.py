"""The scripted participants of a talk, and their words."""
