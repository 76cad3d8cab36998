"""Ways to run the engine, and to read its files."""
