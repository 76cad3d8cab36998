"""Run the engine, and read its files."""
