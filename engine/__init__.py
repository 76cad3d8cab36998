"""The arena's engine: rounds, phases, histories, and the games that they carry."""
