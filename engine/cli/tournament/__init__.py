"""`tournament.py`: one module for each of its subcommands."""
