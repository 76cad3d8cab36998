"""The Python API that the talks' design specifies: the orchestrator and its session stores."""
