"""Every player moderates its own copy of the same conversation between three agents."""
