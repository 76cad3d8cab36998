"""Studies, training and vector environments of the guest."""
