"""A host without a model: it says what the talk so far has as facts, and takes no side."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.games.talks.host.speaking import HostView
from engine.games.talks.scripts.sentences import clause, quote
from engine.games.talks.speech.asking import as_sentences

HIGH = 0.7
SOME = 0.4
NOBODY = "all who came"
Phrases = Mapping[str, Any]


def host_words(
    view: HostView,
    phrases: Phrases,
    rng: random.Random,
) -> str:
    """Return a part of a host's words, a sentence drawn of each list of its phrases."""
    kind = view.loss.why if view.loss else view.part
    facts = facts_told(view)
    sentences = []
    for choices in phrases[kind]:
        sentence: str = rng.choice(choices)
        sentences.append(sentence.format(**facts))
    if view.part == "synthesis":
        sentences += stands_told(view, phrases)
    return " ".join(sentences)


def facts_told(view: HostView) -> dict[str, str]:
    """Return what stands in the place of each letter in a phrase."""
    subject = view.subject
    labels = view.labels or [subject]
    first, last = labels[0], labels[-1]
    facts = {
        "s": subject,
        "t": as_sentences([view.topic])[0],
        "n": list_names(_people(view)),
        "k": last,
        "l": first if view.part == "synthesis" else last,
        "p": f"nobody is done with {subject}",
    }
    for position in view.held.values():
        facts["p"] = quote(position)
    return facts | facts_of_loss(view)


def facts_of_loss(view: HostView) -> dict[str, str]:
    """Return what stands for whoever asked and was asked, and for what was asked about."""
    lost = view.lost_at
    if lost is None:
        return {}
    facts = {"a": lost.speaker}
    facts["w"] = lost.target or NOBODY
    if lost.aspects:
        facts["l"] = lost.aspects[0]
    return facts


def _people(view: HostView) -> list[str]:
    """Return who takes part; in the introduction with the expertise of each."""
    names = []
    for name, expertise in view.people.items():
        introduced = view.part == "introduction" and expertise
        names.append(f"{name} for {expertise}" if introduced else name)
    return names


def stands_told(view: HostView, phrases: Phrases) -> Iterator[str]:
    """Yield who stands together, what each held last, and how far all agree."""
    if view.allies:
        names = list_names(view.allies[0])
        yield phrases["shared"][0].format(n=names)
    else:
        yield phrases["apart"][0]
    for name, position in view.held.items():
        held = clause(position)
        yield phrases["held"][0].format(a=name, p=held)
    level = level_of_agreement(view.convergence)
    yield phrases["agreement"][level]


def level_of_agreement(convergence: float) -> str:
    """Return how far a group agrees, in a word."""
    if convergence >= HIGH:
        return "high"
    return "some" if convergence >= SOME else "little"


def list_names(names: Sequence[str]) -> str:
    """Return names as people list them.

    >>> list_names(["Ada", "Ben", "Cleo"])
    'Ada, Ben and Cleo'
    """
    *others, last = names
    if not others:
        return last
    before = ", ".join(others)
    return f"{before} and {last}"
