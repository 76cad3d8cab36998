"""Agent Island: players pitch and vote one another out, and the eliminated choose the winner."""
