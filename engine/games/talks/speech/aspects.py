"""Aspects of a topic out of plain words, for speakers who name none: key phrases as short labels, none said twice."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from engine.memory.embeddings import STOP, Embedder, content_words

SAME = 0.6
MOST = 3
LONGEST = 3
CLAUSE = re.compile(r"[.!?;:,()\[\]\"\u201c\u201d\n\u2013\u2014]|--+")
TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
# Behind these an English noun phrase begins; a bare run of words may as well be a verb.
ARTICLES = "a an the this that these those my your his her its our their each every no"
PREPOSITIONS = "any some in of on by from with without between about into through for against as"
NO_NOUNS = """
soon better best worse otherwise somebody anybody nobody everybody indeed instead together told thinks ask asks become
becomes believe believes care cares change changes come comes depend depends doubt exist exists explain explains feel
feels find finds follow follows grow grows happen happens help helps hold holds keep keeps leave leaves live lives lose
loses matter matters need needs owe owes prefer remain remains rest rests seem share shares show shows stay stays tell
tells turn turns want wants wonder agree agrees begin begins call calls
"""
# Adverbs and participles begin or end no label.
VERBAL = re.compile(r".*(?:ly|[^e]ed)$")
OPENING = frozenset(ARTICLES.split())
DETERMINERS = OPENING | frozenset(PREPOSITIONS.split())
NEVER = STOP | frozenset(NO_NOUNS.split())
SCORES = {"determined": 1.5, "two": 1.0, "three": 0.5}


def aspects_of(
    text: str, embedder: Embedder, *, topic: str = "", most: int = MOST
) -> tuple[str, ...]:
    """Return up to `most` aspects that `text` touches, as labels of one to three words, the weightiest first.

    What only repeats the topic is none; of two labels more alike than 0.6 the weightier stays.
    """
    kept: list[str] = []
    for label in keyphrases(text, topic):
        if len(kept) == most:
            break
        if all(similarity <= SAME for similarity in embedder.similarities(label, kept)):
            kept.append(label)
    return tuple(kept)


def keyphrases(text: str, topic: str = "") -> list[str]:
    """Return the noun phrases of `text` that say more than `topic`, the weightiest first, then in their order.

    A phrase weighs the mean count of its words in the text, and more if something before it tells a
    noun phrase.

    >>> keyphrases("The promise of trust outlives the feeling, and trust is a slow habit.", "What is love?")
    ['trust', 'slow habit', 'promise', 'feeling']
    """
    counts = Counter(content_words(text))
    told = {*content_words(topic)}
    weights: dict[str, float] = {}
    for words, determined in phrases(text):
        if not told.issuperset(words):
            label = " ".join(words)
            mean = sum(counts[word] for word in words) / len(words)
            weight = (
                mean
                + determined * SCORES["determined"]
                + (0.0, SCORES["two"], SCORES["three"])[len(words) - 1]
            )
            weights[label] = max(weights.get(label, 0.0), weight)
    return sorted(weights, key=lambda label: -weights[label])


def phrases(text: str) -> Iterable[tuple[Sequence[str], bool]]:
    """Yield the runs of one to three content words of each clause, and whether a determiner tells a noun phrase."""
    for clause in CLAUSE.split(text):
        run: list[str] = []
        before = ""
        for word in [
            *(found.group().replace("\u2019", "'").casefold() for found in TOKEN.finditer(clause)),
            "",
        ]:
            if len(word) > 2 and word not in NEVER:
                run.append(word)
                continue
            # What stands before an article says something of the noun before it: "trust outlives
            # the feeling".
            determined = before in DETERMINERS
            if word in OPENING and (len(run) > 1 or not determined):
                run = run[:-1]
            if words := trimmed(run):
                yield words, determined and words[0] == run[0]
            run, before = [], word


def trimmed(run: Sequence[str]) -> Sequence[str]:
    """Return a run of words without what is no part of a label at either end, its last three words at most."""
    words = [*run]
    while words and VERBAL.match(words[0]):
        words.pop(0)
    while words and VERBAL.match(words[-1]):
        words.pop()
    return words[-LONGEST:]
