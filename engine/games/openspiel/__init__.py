"""Any of the games of OpenSpiel, such as chess, hanabi or leduc_poker: --list-games."""
