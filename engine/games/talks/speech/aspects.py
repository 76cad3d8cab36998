"""Aspects for speakers that name none: key phrases from their words, as short labels."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.games.talks.memory.embeddings import STOP, WORD, content_words

MOST = 3
LONGEST = 3
CLAUSE = re.compile(r"[.!?;:,()\[\]\"\u201c\u201d\n\u2013\u2014]|--+")
# English noun phrases begin after these words; other runs of words may contain a verb.
ARTICLES = "a an the this that these those my your his her its our their each every no"
PREPOSITIONS = "any some in of on by from with without between about into through for against as"
NO_NOUNS = """
soon better best worse otherwise somebody anybody nobody everybody indeed instead together told
thinks ask asks become becomes believe believes care cares change changes come comes depend
depends doubt exist exists explain explains feel feels find finds follow follows grow grows
happen happens help helps hold holds keep keeps leave leaves live lives lose loses matter
matters need needs owe owes prefer remain remains rest rests seem share shares show shows stay
stays tell tells turn turns want wants wonder agree agrees begin begins call calls
"""
OPENING = frozenset(ARTICLES.split())
DETERMINERS = OPENING | frozenset(PREPOSITIONS.split())
NEVER = STOP | frozenset(NO_NOUNS.split())
# The bonus for a phrase after a determiner, and the bonus by number of words.
DETERMINED = 1.5
LENGTHS = {1: 0.0, 2: 1.0, 3: 0.5}


def keyphrases(text: str, topic: str = "") -> list[str]:
    """Return the noun phrases in `text` that go beyond `topic`, in descending order of weight.

    A phrase's weight is the mean count of its words in the text, plus a bonus for its length and
    another if a determiner precedes it. Phrases of equal weight keep their order in the text.

    >>> said = "The promise of trust outlives the feeling, and trust is a slow habit."
    >>> keyphrases(said, "What is love?")
    ['trust', 'slow habit', 'promise', 'feeling']
    """
    counts = Counter(content_words(text))
    known = _words_of_topic(topic)
    weights: dict[str, float] = {}

    for words, determined in noun_phrases(text):
        if known.issuperset(words):
            continue
        label = " ".join(words)
        count = sum(counts[word] for word in words) / len(words)
        weight = count + determined * DETERMINED + LENGTHS[len(words)]
        weights[label] = max(weights.get(label, 0.0), weight)

    return sorted(weights, key=lambda label: -weights[label])


@lru_cache(maxsize=64)
def _words_of_topic(topic: str) -> frozenset[str]:
    return frozenset(content_words(topic))


def _runs_in(clause: str) -> Iterable[tuple[list[str], str, str]]:
    """Yield runs of content words, each with the word before and the word after it."""
    run: list[str] = []
    before = ""
    words = [word.casefold() for word in WORD.findall(clause.replace("\u2019", "'"))]
    # The empty word ends the last run of a clause.
    for word in [*words, ""]:
        if len(word) > 2 and word not in NEVER:
            run.append(word)
            continue
        yield run, before, word
        run, before = [], word


def noun_phrases(text: str) -> Iterable[tuple[Sequence[str], bool]]:
    """Yield each run of one to three content words, and whether a determiner precedes the run."""
    for clause in CLAUSE.split(text):
        for run, before, word in _runs_in(clause):
            determined = before in DETERMINERS
            # A word right before an article is probably a verb, so it is left out: "trust outlives
            # the feeling".
            ends_early = word in OPENING and (len(run) > 1 or not determined)
            if words := _trim_label(run[:-1] if ends_early else run):
                yield words, determined and words[0] == run[0]


def _trim_label(run: Sequence[str]) -> Sequence[str]:
    """Return the last three words of a run, after removing adverbs and participles at its ends."""
    words = [*run]
    while words and _is_verbal(words[0]):
        words.pop(0)
    while words and _is_verbal(words[-1]):
        words.pop()
    return words[-LONGEST:]


def _is_verbal(word: str) -> bool:
    """Return whether a word of over two letters is an adverb or a participle, by its ending."""
    return word.endswith("ly") or (word.endswith("ed") and word[-3] != "e")
