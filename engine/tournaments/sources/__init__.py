"""The inputs of `tournament.py rate`: a tournament, a folder of logs, or a file of rows."""
