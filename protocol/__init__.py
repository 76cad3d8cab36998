"""The messages between a game and a player, and how they are read."""
