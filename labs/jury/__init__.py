"""The counterfactual jury: finals as their jurors saw them, but for one change, judged again."""
