"""The design of talks for Python: the orchestrator and its session stores."""
