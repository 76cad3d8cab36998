"""The rules of a game's course, checked on a log: rounds, roster, phases and word limits."""

from collections.abc import Iterator
from itertools import groupby

from engine.history import History, RoundLog, payload_of
from engine.history.social import Decision
from tests.oracles.deliberations.probes import asks_probes
from tests.oracles.deliberations.questions import question_kinds
from tests.oracles.deliberations.reading import (
    debrief_questions,
    has_last_words,
    is_message,
    phases_in,
    rounds_due,
    setting_in,
    tells_pairing,
    tied_first,
    voters_in,
    votes_again,
    votes_in,
    writers_in,
)
from tests.oracles.reading import (
    Check,
    breach_at,
    breach_in,
    check_event_numbers,
    each_event,
    events_but_faults,
    events_of,
    ids_of,
)

NARRATED = {"narration", "result"}
KINDS = {
    "sidebars": ["sidebar"],
    "confessionals": ["confessional"],
    "immunity": ["narration"],
    "pitches": ["narration", "pitch"],
}
PUBLIC = ("pitch", "question", "answer", "statement", "last_words")
WORD_LIMITS = {
    **dict.fromkeys(PUBLIC, "words"),
    "sidebar": "private_words",
    "confessional": "private_words",
    "summary": "summary_words",
}


def check_rounds(history: History) -> Iterator[str]:
    """Check that there are "rounds 1 to N - 2" and "round N - 1", the final, with all events."""
    if history.status != "finished":
        yield f"expected a finished game: it is {history.status}"

    last = rounds_due(history)
    due = [(number, number == last) for number in range(1, last + 1)]
    played = [(log.round_index, log.final_round) for log in history.rounds]
    if played != due:
        yield f"expected rounds 1 to {last}, the last one the final: got {played}"
    yield from check_finalists(history)
    yield from check_event_numbers(history)


def check_finalists(history: History) -> Iterator[str]:
    """Check that the final has as many players as the settings say."""
    finalists = setting_in(history, "finalists")
    for log in history.rounds:
        if log.final_round and len(log.active_player_ids) != finalists:
            yield breach_in(log, f"{finalists} players in the final: got {log.active_player_ids}")


def check_roster(history: History) -> Iterator[str]:
    """Check that each round begins with the players that no earlier round eliminated."""
    active = ids_of(history)
    eliminated: list[str] = []
    for log in history.rounds:
        found = [*log.active_player_ids], [*log.eliminated_player_ids]
        if found != (active, eliminated):
            due = f"{active} in the game and {eliminated} out of it"
            yield breach_in(log, f"{due}: got {found}")

        for result in events_of(log, "result"):
            selected = payload_of(result, Decision).selected
            eliminated = [*eliminated, selected]
            active = [player_id for player_id in active if player_id != selected]


def check_phases(history: History) -> Iterator[str]:
    """Check that the phases of a round are those of the settings, in order."""
    for log in history.rounds:
        due = in_groups(kinds_due(history, log))
        found = in_groups([event.kind for event in events_but_faults(log)])
        if found != due:
            yield breach_in(log, f"{', '.join(due)}: got {', '.join(found)}")


def in_groups(kinds: list[str]) -> list[str]:
    """Return each of the kinds that follow one another once."""
    return [kind for kind, _ in groupby(kinds)]


def kinds_due(history: History, log: RoundLog) -> list[str]:
    """Return the kinds of events that a round must have, in order."""
    kinds = ["narration"]
    for phase in phases_in(history, log.round_index):
        if phase == "votes":
            kinds += question_kinds(log)
            kinds += kinds_of_vote(history, log)
        elif phase != "immunity" or not log.final_round:
            kinds += KINDS[phase]
    if log.final_round and debrief_questions(history):
        kinds.append("debrief")
    if log.final_round and events_of(log, "flag"):
        kinds.append("flag")
    if writers_in(history, log):
        kinds.append("summary")
    return kinds


def kinds_of_vote(history: History, log: RoundLog) -> list[str]:
    """Return the kinds of events that the vote of a round must have, in their order."""
    probed = ["probe"] if asks_probes(history) else []
    kinds = [*probed, "vote"] if voters_in(log) else []
    if votes_again(history, log):
        kinds += ["statement", *probed, "vote"]
    kinds.append("result")
    if has_last_words(history, log):
        kinds.append("last_words")
    return kinds


def check_authors(history: History) -> Iterator[str]:
    """Check that players' words are recorded as their own, and that only the game narrates."""
    for event in history.events:
        narrated = event.kind in NARRATED or tells_pairing(event)
        role = "narrator" if narrated else f"player {event.player_id}"
        if event.role != role or narrated != (event.player_id is None):
            yield breach_at(event, f"a {event.kind} of the {role}: got {event.role}")


def check_asked(kind: str) -> Check:
    """Return the check that everyone who must give an event of `kind` gave one, and nobody else."""

    def check(history: History) -> Iterator[str]:
        for log in history.rounds:
            events = votes_in(log) if kind == "vote" else events_of(log, kind)
            found = [str(event.player_id) for event in events]
            if not found:
                continue
            due = authors_due(history, log, kind)
            if sorted(found) != sorted(due):
                yield breach_in(log, f"one {kind} of each of {due}: got those of {found}")

    return check


def authors_due(history: History, log: RoundLog, kind: str) -> list[str]:
    """Return who must give an event of `kind` in a round."""
    if kind == "vote":
        return voters_in(log)
    if kind == "summary":
        return writers_in(history, log)
    if kind == "statement":
        return tied_first(log) if votes_again(history, log) else []
    if kind == "last_words":
        return leavers_in_round(log) if has_last_words(history, log) else []
    return [*log.active_player_ids]


def leavers_in_round(log: RoundLog) -> list[str]:
    """Return who is selected by the result of a round."""
    return [payload_of(event, Decision).selected for event in events_of(log, "result")]


def check_words(history: History) -> Iterator[str]:
    """Check that no player says more words than the settings allow."""
    for kind, name in WORD_LIMITS.items():
        for log, event in each_event(history, kind):
            limit = setting_in(history, name, log.round_index)
            if kind == "sidebar" and not is_message(event):
                continue
            if len(event.content.split()) > limit:
                yield breach_at(event, f"at most {limit} words: got {event.content!r}")
