"""Game theory at work on a talk: who speaks, with which move, and what that changes."""
