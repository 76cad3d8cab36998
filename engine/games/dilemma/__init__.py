"""The iterated prisoner's dilemma, the Levinson version: three moves a turn, flips by chance, rounds that eliminate."""
