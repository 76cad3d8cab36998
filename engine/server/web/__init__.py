"""What routes have in common: who may what, how it is said, and what is handed out."""
