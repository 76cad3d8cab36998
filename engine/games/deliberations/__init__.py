"""Players pitch and vote one another out; the eliminated choose the winner of the last two."""
