"""Studies of the dilemma, and populations that play it."""
