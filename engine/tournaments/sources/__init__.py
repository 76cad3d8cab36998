"""Sources that `tournament.py rate` reads: a tournament, a folder of logs, or a file of rows."""
