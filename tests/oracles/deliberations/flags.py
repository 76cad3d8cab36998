"""The rules of flags, checked on a log: where words and actions differ, found again."""

import re
from collections.abc import Iterator

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Ballot, Decision
from protocol.text import SILENT
from tests.oracles.deliberations.reading import votes_in
from tests.oracles.reading import breach_at, breach_in, each_event, events_of

ALIKE = "pitch repeated"
INSTEAD = "reason names another"
BROKEN = "promise broken"
FALSE = "false result"


def check_flags(history: History) -> Iterator[str]:
    """Check that flags are about what their player said or did in the round, and none is missing.

    Similar pitches and reasons that name another player are searched for again. Broken promises and
    invented results are only compared with the ballot and the results.
    """
    pitched: list[Event] = []
    gone: list[str] = []
    for log in history.rounds:
        for flag, due in ((ALIKE, repeated_in(log, pitched)), (INSTEAD, naming_another(log))):
            found = [event.data["about"] for event in flags_of(history, log, flag)]
            if found != due:
                yield breach_in(log, f"the flag {flag!r} of events {due}: got {found}")
        yield from check_ballot_flags(history, log, gone)
        gone += [payload_of(event, Decision).selected for event in events_of(log, "result")]


def flags_of(history: History, log: RoundLog, flag: str) -> list[Event]:
    """Return the flags of one kind about events of a round."""
    indices = {event.index for event in log.events}
    flags = [one for _, one in each_event(history, "flag") if one.data["flag"] == flag]
    return [one for one in flags if one.data["about"] in indices]


def repeated_in(log: RoundLog, pitched: list[Event]) -> list[int]:
    """Return the indices of the pitches that somebody made before, and take in all of them."""
    found = []
    for event in events_of(log, "pitch"):
        if event.content == SILENT:
            continue
        if words_of(event.content) in [words_of(one.content) for one in pitched]:
            found.append(event.index)
        pitched.append(event)
    return found


def words_of(text: str) -> list[str]:
    """Return the words of a text, ignoring case and punctuation."""
    return [word for word in re.split(r"\W+", text.casefold()) if word]


def naming_another(log: RoundLog) -> list[int]:
    """Return the indices of the ballots whose reason names a candidate, but not the chosen one."""
    found = []
    for event in events_of(log, "vote"):
        ballot = payload_of(event, Ballot)
        if event.fell_back or ballot.vote is None:
            continue
        _, _, reason = event.content.partition(f"{ballot.vote}: ")
        named = [name for name in ballot.candidates if has_name(reason, name)]
        if named and ballot.vote not in named:
            found.append(event.index)
    return found


def has_name(text: str, name: str) -> bool:
    """Return whether a name stands in a text with no letter or digit at either end of it."""
    places = [place for place in range(len(text)) if text.startswith(name, place)]
    for place in places:
        around = text[place - 1 : place] + text[place + len(name) : place + len(name) + 1]
        if not any(letter.isalnum() or letter == "_" for letter in around):
            return True
    return False


def check_ballot_flags(history: History, log: RoundLog, gone: list[str]) -> Iterator[str]:
    """Check the flags of promises and results of a round before which some were `gone`."""
    ballots = {event.index: event for event in events_of(log, "vote")}
    first = {event.index for event in votes_in(log)}
    for event in [*flags_of(history, log, BROKEN), *flags_of(history, log, FALSE)]:
        vote = ballots.get(event.data["about"])
        if vote is None or vote.player_id != event.player_id:
            yield breach_at(event, "a flag of a ballot of its player")
            continue
        if event.data["flag"] == FALSE:
            told = event.content.partition(" that ")[2].partition(" left or won")[0]
            if not has_name(vote.content, told) or (told in gone and "won" not in vote.content):
                yield breach_at(event, f"a result that was not: {told}")
            continue
        chosen = payload_of(vote, Ballot).vote
        about = event.content.rpartition(" against ")[2]
        kept = (chosen == about) is ("said to vote" in event.content)
        if log.final_round or vote.index not in first or kept:
            yield breach_at(event, f"a promise that the ballot for {chosen} breaks")
