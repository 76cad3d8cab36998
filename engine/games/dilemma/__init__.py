"""Everybody plays the iterated prisoner's dilemma with everybody; the lowest are dropped."""
