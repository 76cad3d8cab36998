"""Players speak of their items, one a turn; all share the score."""
