"""Studies and training on the conversation."""
