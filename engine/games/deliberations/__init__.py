"""Players pitch and vote one another out; the eliminated choose a winner from the last two."""
