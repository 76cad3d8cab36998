"""The standings of a tournament: its tables and the data behind them, as plain data."""
