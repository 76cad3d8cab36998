"""Read and check the events of foreign games in which players vote each other out."""
