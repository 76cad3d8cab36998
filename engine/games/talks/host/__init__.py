"""The host of a talk: what it says beside the moves, and when."""
