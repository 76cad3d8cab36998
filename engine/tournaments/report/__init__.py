"""Standings as files and tables: page, card, pictures, CSV and JSON, and terminal."""
