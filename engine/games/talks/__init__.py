"""Participants discuss a topic; game theory decides who speaks, how, and when it is over."""
