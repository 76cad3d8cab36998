"""The server for agents that speak the Model Context Protocol; it needs the extra `mcp`."""
