"""Any of the games of TextArena that start offline, such as TicTacToe-v0: --list-games."""
