"""Studies of the conversation, and training for it."""
