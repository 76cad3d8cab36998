"""Imports foreign logs and exports data sets."""
