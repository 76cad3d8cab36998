"""The conversation game: proposals, turns and an exact score."""
