"""Memory across turns: texts as vectors, and the corpus of utterances."""
