"""Game theory applied to a talk: the speaker, its move, and the effects."""
