"""Data sets out of games: tables of what happened, and decisions of models to train on."""
