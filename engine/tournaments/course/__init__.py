"""How a tournament runs: its schedule, its workers, its end and its live screen."""
