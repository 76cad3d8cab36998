"""Any OpenSpiel game, such as chess, hanabi or leduc_poker; --list-games lists them."""
