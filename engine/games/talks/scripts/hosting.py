"""A scripted host: it states facts about the talk so far and takes no side."""

import random
from collections.abc import Iterator

from engine.games.talks.host.speaking import HostView
from engine.games.talks.scripts.sentences import Phrases, clause, quote
from engine.games.talks.speech.asking import as_sentences
from protocol.text import list_names

HIGH = 0.7
SOME = 0.4
NOBODY = "all who came"


def host_words(view: HostView, phrases: Phrases, rng: random.Random) -> str:
    """Return the words of a part: a random sentence from each phrase list for that part."""
    kind = view.loss.why if view.loss else view.part
    facts = facts_told(view)
    sentences = [str(rng.choice(choices)).format(**facts) for choices in phrases[kind]]
    if view.part == "synthesis":
        sentences += stands_told(view, phrases)
    return " ".join(sentences)


def facts_told(view: HostView) -> dict[str, str]:
    """Return the text for each one-letter placeholder in the phrases.

    If the thread was lost, `a` and `w` are the speaker and target of the exchange in which it was
    lost.
    """
    subject, lost_at = view.subject, view.lost_at
    labels = view.labels or [subject]
    positions = [*view.held.values()]
    facts = {
        "s": subject,
        "t": as_sentences([view.topic])[0],
        "n": list_names(_people_present(view)),
        "k": labels[-1],
        "l": labels[0] if view.part == "synthesis" else labels[-1],
        "p": quote(positions[-1]) if positions else f"nobody is done with {subject}",
    }
    if lost_at is not None:
        label = (*lost_at.aspects, labels[-1])[0]
        facts |= {"a": lost_at.speaker, "w": lost_at.target or NOBODY, "l": label}
    return facts


def _people_present(view: HostView) -> list[str]:
    """Return all names, with each participant's expertise if the host introduces the talk."""
    people = []
    for name, expertise in view.people.items():
        introduced = view.part == "introduction" and expertise
        people.append(f"{name} for {expertise}" if introduced else name)
    return people


def stands_told(view: HostView, phrases: Phrases) -> Iterator[str]:
    """Yield sentences on the largest coalition, the last positions, and the level of agreement."""
    if view.allies:
        yield phrases["shared"][0].format(n=list_names(view.allies[0]))
    else:
        yield phrases["apart"][0]
    for name, position in view.held.items():
        yield phrases["held"][0].format(a=name, p=clause(position))
    level = "high" if view.convergence >= HIGH else "some" if view.convergence >= SOME else "little"
    yield phrases["agreement"][level]
