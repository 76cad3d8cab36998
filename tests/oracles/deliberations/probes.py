"""The rules of probes and plans, checked on a log: who is asked, what is legal, who reads it."""

import json
from collections.abc import Iterator, Mapping

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Expectation
from tests.oracles.deliberations.reading import (
    SeededDraw,
    candidates_for,
    has_vote,
    setting_in,
    standing_in,
    tied_first,
    voters_in,
    votes_again,
)
from tests.oracles.reading import breach_at, breach_in, each_event, events_of

# The labels of the orders of those probed, and of the names that each reads, by `revote`.
LABELS = {False: ("probes", "probed"), True: ("revote probes", "revote probed")}
PLANNED = {"pitch", "statement", "last_words", "confessional", "sidebar", "question", "answer"}


def probes_in(log: RoundLog, *, revote: bool = False) -> list[Event]:
    """Return the probes before the first ballot of a round, or before its revote."""
    return [
        event
        for event in events_of(log, "probe")
        if payload_of(event, Expectation).revote is revote
    ]


def asks_probes(history: History) -> bool:
    """Return whether players are asked for their expectations of ballots."""
    return bool(setting_in(history, "probes") == "votes")


def check_probes(history: History) -> Iterator[str]:
    """Check that all who are in the game are probed before each ballot, and what they may say."""
    for log in history.rounds:
        for revote in LABELS:
            due = []
            held = votes_again(history, log) if revote else has_vote(history, log)
            if asks_probes(history) and held:
                due = [*log.active_player_ids]
            found = [str(event.player_id) for event in probes_in(log, revote=revote)]
            if sorted(found) != sorted(due):
                yield breach_in(log, f"one probe of each of {due}: got those of {found}")
    for log, event in each_event(history, "probe"):
        yield from check_names(log, event)
        yield from check_odds(log, event)


def check_names(log: RoundLog, event: Event) -> Iterator[str]:
    """Check that a probe is about all who can be selected, and all others who can vote so."""
    said = payload_of(event, Expectation)
    own = str(event.player_id)
    selectable = tied_first(log) if said.revote else standing_in(log)
    if event.fell_back:
        selectable = []
    if sorted(said.chances) != sorted(selectable):
        yield breach_at(event, f"odds of each of {selectable}: got {[*said.chances]}")
    legal = {voter: candidates_for(log, voter, revote=said.revote) for voter in voters_in(log)}
    voters = [voter for voter, names in legal.items() if voter != own and own in names]
    if [*said.against] != ([] if event.fell_back else voters):
        yield breach_at(event, f"odds of the votes of {voters}: got {[*said.against]}")


def check_odds(log: RoundLog, event: Event) -> Iterator[str]:
    """Check that odds are whole percentages as answered, or missing if no answer came."""
    said = payload_of(event, Expectation)
    odds = [*said.chances.values(), *said.against.values()]
    for per_cent in odds:
        if not 0 <= per_cent <= 100:
            yield breach_at(event, f"0 to 100 per cent: got {per_cent}")
    if event.fell_back:
        if event.content != "gives no usable odds":
            yield breach_at(event, f"a line without odds: got {event.content!r}")
        return
    if event.attempts:
        answered = json.loads(event.attempts[-1].text).values()
        if sorted(map(str, answered)) != sorted(map(str, odds)):
            yield breach_at(event, f"what was answered, {[*answered]}: got {odds}")
    line = f"{'wins' if log.final_round else 'leaves'}: {told(said.chances)}"
    if said.against:
        line += f"; votes against {event.player_id}: {told(said.against)}"
    if event.content != line:
        yield breach_at(event, f"{line!r}: got {event.content!r}")


def told(odds: Mapping[str, int]) -> str:
    """Return odds as they appear in a line."""
    return ", ".join(f"{name} {per_cent} %" for name, per_cent in odds.items())


def probe_draws(log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the draws of the orders in which players are probed, and read the names."""
    for revote, (order, names) in LABELS.items():
        events = probes_in(log, revote=revote)
        yield SeededDraw(
            what=f"the order of each probe in {order!r}",
            found=[str(event.player_id) for event in events],
            pool=[*log.active_player_ids],
            labels=("permuted", order),
        )
        for event in events:
            if event.fell_back:
                continue
            yield SeededDraw(
                what=f"the {names} of {event.player_id}",
                found=[*payload_of(event, Expectation).chances],
                pool=tied_first(log) if revote else standing_in(log),
                labels=("permuted", names, str(event.player_id)),
            )


def check_plans(history: History) -> Iterator[str]:
    """Check that speakers write plans as answered, if the settings ask for them."""
    planning = setting_in(history, "plans")
    for event in history.events:
        plan = event.data.get("plan")
        if plan is None:
            continue
        if not planning or event.kind not in PLANNED or event.fell_back:
            yield breach_at(event, f"no plan: got {plan!r}")
        if event.attempts and plan.isascii() and "\\" not in event.attempts[-1].text:
            begun = plan.removesuffix("\u2026")
            if " ".join(begun.split()) not in " ".join(event.attempts[-1].text.split()):
                yield breach_at(event, f"what was answered: got the plan {plan!r}")
