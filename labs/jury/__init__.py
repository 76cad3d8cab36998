"""The counterfactual jury: jurors judge their finals again, with one change to the question."""
