"""The games of TextArena at our table: our engine asks, TextArena rules."""
