"""All players play the iterated prisoner's dilemma in pairs, and the lowest scorers leave."""
