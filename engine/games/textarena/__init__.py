"""TextArena games that start offline, such as TicTacToe-v0; --list-games lists them all."""
