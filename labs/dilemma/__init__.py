"""Studies and populations of the dilemma."""
