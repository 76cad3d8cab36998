"""How a tournament runs: its draws, its workers, its end and its live screen."""
