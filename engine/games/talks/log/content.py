"""The content score of a talk, from its words alone: a minimum standard, not a ranking."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.games.talks.memory.embeddings import WORD, Embedder

Numbers = NDArray[np.float64]
# For each factor, the similarities at which it leaves 0 and reaches 1. These bounds were tuned on
# the texts named in docs/talks.md, and were not changed for the graded texts.
THREAD = (0.05, 0.35)
NEW = (0.1, 0.5)
ANSWER = (0.05, 0.25)
NEAR_TOPIC = 0.25
NEAR_ENOUGH = 0.5
ANSWERED = 2
RUN = 4
LITTLE = 25.0
# The bounds were tuned for these vectors only.
EMBEDDER = "wordllama"
FULL_STARS = 40.0


@dataclass(frozen=True, slots=True)
class Content:
    """The quality of a talk's words, 0 to 100, and the mean of each factor, 0 to 1.

    A turn scores on `thread` if it resembles the topic or earlier words, on `new` if it differs
    from each earlier turn, and on `answers` if it resembles one of the two turns before it.
    `own_words` is the share of new four-word runs in a turn. `on_topic` compares the whole talk
    with its topic.
    """

    score: float
    thread: float
    new: float
    answers: float
    own_words: float
    on_topic: float


def score_content(topic: str, texts: Sequence[str], embedder: Embedder) -> Content:
    """Return the quality of a talk's words; `texts` contains at least one turn.

    The score is 100 * mean(thread * new * answers * own_words) over turns, times the mean of
    `own_words` (so that a copy gains nothing from its original), times min(1, 2 * `on_topic`). The
    opening turn counts only if it is the only one; silence counts as 0.
    """
    factors = factors_of_turns(topic, texts, embedder)
    thread, new, answers, own_words = factors.mean(axis=1).tolist()
    worth = factors.prod(axis=0).mean()
    near = embedder.similarities(topic, texts)
    on_topic = min(1.0, sum(near) / len(near) / NEAR_TOPIC)
    score = 100 * min(1.0, on_topic / NEAR_ENOUGH) * float(worth) * own_words
    return Content(score, thread, new, answers, own_words, on_topic)


def factors_of_turns(topic: str, texts: Sequence[str], embedder: Embedder) -> Numbers:
    """Return thread, new, answers and own_words for each turn that counts: a (4, n) array."""
    vectors = embedder.embed(texts)
    # The similarity, 0 to 1, of each turn to each earlier turn; 0 elsewhere.
    alike = np.tril(embedder.scaled(vectors @ vectors.T), -1)
    nearest = alike.max(axis=1)
    thread = ramp(likeness_to_thread(topic, texts, embedder), *THREAD)
    factors = np.array([thread, ramp(1 - nearest, *NEW), answers_in(alike), own_words_in(texts)])
    silent = [not text.strip() for text in texts]
    factors[:, silent] = 0
    return factors[:, 1:] if len(texts) > 1 else factors


def likeness_to_thread(topic: str, texts: Sequence[str], embedder: Embedder) -> Numbers:
    """Return each turn's similarity, 0 to 1, to the topic plus everything said before it."""
    thread = topic
    threads = []
    for text in texts:
        threads.append(thread)
        thread = f"{thread} {text}"
    vectors = embedder.embed(texts)
    before = embedder.embed(threads)
    cosines = (vectors * before).sum(axis=1)
    return embedder.scaled(cosines)


def answers_in(alike: Numbers) -> Numbers:
    """Return how much each turn resembles one of the two before it, 0 to 1; the first gets 1."""
    nearest = np.ones(len(alike))
    for place in range(1, len(alike)):
        begin = max(0, place - ANSWERED)
        nearest[place] = alike[place, begin:place].max()
    return ramp(nearest, *ANSWER)


def own_words_in(texts: Sequence[str]) -> Numbers:
    """Return, for each turn, the share of its four-word runs that no earlier turn contains."""
    earlier_runs: set[tuple[str, ...]] = set()
    shares = []
    for text in texts:
        runs = word_runs(text)
        fresh = [run for run in runs if run not in earlier_runs]
        shares.append(len(fresh) / len(runs) if runs else 1.0)
        earlier_runs.update(runs)
    return np.array(shares)


def word_runs(text: str) -> list[tuple[str, ...]]:
    """Return all four-word runs in a text."""
    words = WORD.findall(text.casefold())
    return [tuple(words[end - RUN : end]) for end in range(RUN, len(words) + 1)]


def ramp(values: Numbers, low: float, high: float) -> Numbers:
    """Map values up to `low` to 0, values from `high` on to 1, and those in between linearly."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def content_facts(content: Content) -> Iterator[tuple[str, str]]:
    """Yield each factor's name, value and meaning."""
    yield "On Topic", f"{content.on_topic:.2f} (the whole talk to its topic)"
    yield "On the Thread", f"{content.thread:.2f} (each turn to topic and talk)"
    yield "New", f"{content.new:.2f} (unlike each earlier turn)"
    yield "Answers", f"{content.answers:.2f} (one of the last two turns)"
    yield "Own Words", f"{content.own_words:.2f} (runs of four words not said before)"
