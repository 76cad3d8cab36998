"""Standings as files (page, card, pictures, CSV and JSON) and as tables for a terminal."""
