"""The plan of a tournament before play: games, dollars and hours for each gap."""
