"""The scripted participants of a talk."""
