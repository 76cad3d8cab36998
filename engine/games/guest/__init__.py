"""Every player moderates the same conversation of three agents, each in a room of their own."""
