"""Foreign games in which players vote each other out: read their events and check them."""
