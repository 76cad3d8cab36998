"""The callers' side: who may ask what, how often, and in which form it is answered."""
