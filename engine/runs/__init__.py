"""Ways to run the engine, and what it left."""
