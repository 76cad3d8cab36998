"""Data sets from games: tables of events, and decisions of models to train on."""
