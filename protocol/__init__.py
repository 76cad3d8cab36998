"""What passes between a game and a player, and how it is read."""
