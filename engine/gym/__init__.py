"""What stands between GuestEnv and the libraries of reinforcement learning: many sessions at once, and training."""
