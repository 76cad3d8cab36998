"""What a talk leaves in its log, and what is read from it."""
