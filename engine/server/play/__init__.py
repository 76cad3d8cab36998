"""Games as they are played here, and as they lie in the folder."""
