"""Agent Island: Deliberations: players pitch, vote one another out, and the eliminated choose the winner."""
