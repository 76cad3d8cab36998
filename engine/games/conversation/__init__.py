"""Players talk about their items, one item per turn, and all share one score."""
