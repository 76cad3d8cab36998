"""Any TextArena game that starts offline, such as TicTacToe-v0; --list-games lists them."""
