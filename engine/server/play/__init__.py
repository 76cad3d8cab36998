"""The games' side: those that are played here, and those that lie in the folder."""
