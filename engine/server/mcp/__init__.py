"""The door for agents that speak the Model Context Protocol; the package is the extra `mcp`."""
