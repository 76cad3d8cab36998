"""The scripted participants of a talk, and what they have to say."""
