"""The counterfactual jury: finals as their jurors saw them, except for one change, judged again."""
