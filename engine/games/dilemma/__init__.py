"""The iterated prisoner's dilemma, Levinson version: blocks of three moves, flips, elimination."""
