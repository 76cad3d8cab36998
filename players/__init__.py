"""Kinds of seats that others add, each as one file here and one row in `SEATS`."""
