"""Findings about players from logs of deliberations, without asking any language model."""
