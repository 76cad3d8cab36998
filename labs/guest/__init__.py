"""Studies, training and vector environments for the game guest."""
