"""What is written so that nothing of a game is lost."""
