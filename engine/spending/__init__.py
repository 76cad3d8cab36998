"""The price of calls, and the budget of a game."""
