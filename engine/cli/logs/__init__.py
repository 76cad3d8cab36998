"""`logs.py`: reviewing the games of the logs, and writing data sets of them."""
