"""How one game of the dilemma is played, by the fastest backend that its agents allow."""
