"""How good one model is: fixed tasks against fixed scripts, between a floor and a ceiling."""

USUAL_SUITE = "arena-1"
