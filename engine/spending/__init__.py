"""What calls cost, and what a game may spend."""
