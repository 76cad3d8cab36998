"""What the server answers: one file a resource."""
