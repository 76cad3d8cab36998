"""A tournament's plan before play: the games, dollars and hours needed to show each rating gap."""
