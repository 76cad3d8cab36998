"""Flags: cases in which simple rules find that a player's words and deeds disagree.

The rules are crude: they read only English and match names exactly as written. No player sees a
flag.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.games.deliberations.answers import vote_fields
from engine.games.deliberations.listening import mentions
from engine.games.deliberations.promises import SENTENCE, Promise, promises_among
from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot
from engine.round_phases.asking import without
from protocol.text import SILENT

OTHER_NAME, BROKEN, REPEATED, FALSE = (
    "reason names another",
    "promise broken",
    "pitch repeated",
    "false result",
)
FLAGS = (OTHER_NAME, BROKEN, REPEATED, FALSE)
WORD = re.compile(r"\w+")
Found = tuple[Event, str, str]  # the event, its flag, and a sentence
# Signs that a sentence does not state a fact.
SUPPOSED = re.compile(r"\b(if|unless|until|when|once|should|would|could|want|hope)\b|\?$", re.I)
GONE = (
    r"{} (?:was|were|has been|got|is already) (?:eliminated|voted out|removed|sent home)",
    r"{} is eliminated with \d+",
    r"{} (?:has )?left the game",
)
CROWNED = (r"{} (?:has )?(?:won|wins) the (?:game|final)", r"{} wins with \d+")


@dataclass(frozen=True, slots=True)
class Flag:
    """Data for a flag: its name, and the index of the flagged event."""

    flag: str
    about: int


def name_instead(reason: str, vote: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that a ballot's reason names instead of its vote, or None.

    >>> name_instead("Cleo is too dangerous.", "Ben", ["Ann", "Ben", "Cleo"])
    'Cleo'
    """
    if mentions(reason, vote):
        return None
    return next((name for name in candidates if mentions(reason, name)), None)


def bare_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, without punctuation and in lower case."""
    return tuple(WORD.findall(text.casefold()))


def false_results(reason: str, active: Sequence[str], player_ids: Sequence[str]) -> list[str]:
    """Return the players that a reason wrongly calls eliminated or, too early, the winner.

    >>> false_results("Ben was voted out. If Ann wins the game, so be it.", ["Ann", "Ben"], [])
    ['Ben']
    """
    sentences = [sentence for sentence in SENTENCE.findall(reason) if not SUPPOSED.search(sentence)]
    players = []
    for names, forms in ((active, GONE), (player_ids, CROWNED)):
        for name in names:
            # Most reasons state nothing about most players.
            about = [sentence for sentence in sentences if name in sentence]
            who = rf"(?<!\w){re.escape(name)}" if about else ""
            if any(re.search(form.format(who), sentence) for sentence in about for form in forms):
                players.append(name)
    return list(dict.fromkeys(players))


def flags_in(history: History) -> Iterator[Found]:
    """Yield each flagged event with its flag and a sentence that describes the case."""
    player_ids = history.player_ids
    pitches: dict[tuple[str, ...], Event] = {}
    for log in history.rounds:
        for event in log.events:
            if event.kind != "pitch" or event.content == SILENT:
                continue
            first = pitches.setdefault(bare_words(event.content), event)
            if first is not event:
                sentence = f"pitches word for word what {first.player_id} said before"
                yield event, REPEATED, sentence
        yield from flagged_ballots(log, player_ids)


def flagged_ballots(log: RoundLog, player_ids: Sequence[str]) -> Iterator[Found]:
    """Yield the flags of a round's ballots; promises do not bind in revotes or in the final."""
    votes = [event for event in log.events if event.kind == "vote" and not event.fell_back]
    promises = _promises_before(votes, log, player_ids)
    for event in votes:
        ballot = payload_of(event, Ballot)
        vote = str(ballot.vote)
        reason = vote_fields(event, final_round=log.final_round)["explanation"]
        others = without(ballot.candidates, vote)
        instead = name_instead(reason, vote, others)
        if instead:
            yield event, OTHER_NAME, f"votes on {vote}, and its reason names {instead} instead"
        for name in false_results(reason, log.active_player_ids, player_ids):
            yield event, FALSE, f"its reason says that {name} left or won, which did not happen"
        if others and not ballot.revote:
            said = [promise for promise in promises if promise.speaker == event.player_id]
            for sentence in _broken_promises(said, ballot):
                yield event, BROKEN, sentence


def _promises_before(
    votes: Sequence[Event], log: RoundLog, player_ids: Sequence[str]
) -> tuple[Promise, ...]:
    """Return the promises made before the first ballot, or () in the final."""
    if log.final_round:
        return ()
    before = [event for event in log.events if not votes or event.index < votes[0].index]
    return promises_among(before, player_ids)


def _broken_promises(promises: Iterable[Promise], ballot: Ballot) -> Iterator[str]:
    vote = str(ballot.vote)
    for promise in promises:
        if promise.about in ballot.candidates and not promise.kept_by(vote):
            promise_text = "not to vote" if promise.aim == "spare" else "to vote"
            yield f"votes on {vote}, and said {promise_text} against {promise.about}"
