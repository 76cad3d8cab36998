"""What logs of deliberations tell of those who played: measured without asking anybody anything."""
