"""The plan of a tournament before play: the games, dollars and hours that each gap needs."""
