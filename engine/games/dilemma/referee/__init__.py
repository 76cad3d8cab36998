"""One game of the dilemma, played by the fastest backend that its agents allow."""
