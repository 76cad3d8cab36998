"""The design's Python API for talks: the orchestrator and its session stores."""
