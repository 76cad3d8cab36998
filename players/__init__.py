"""Kinds of seats that others add: one file each, and one row in `SEATS`."""
