"""The formulas by which a talk goes."""
