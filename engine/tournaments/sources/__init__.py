"""What `tournament.py rate` can read: a tournament, a folder of logs, or a file of rows."""
