"""All play the iterated prisoner's dilemma with all others; the lowest are dropped."""
