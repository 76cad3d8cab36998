"""What participants say: made fit to say, measured against earlier words, and remembered."""
