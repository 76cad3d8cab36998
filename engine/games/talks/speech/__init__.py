"""What participants say, made fit to be said."""
