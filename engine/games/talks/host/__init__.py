"""The host of a talk: its words between the moves, and their timing."""
