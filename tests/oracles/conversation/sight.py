"""Who sees what in a conversation, checked on a log: viewers, questions and shown texts."""

import re
from collections.abc import Iterator

from engine.games.conversation.payloads import BankItem, ProposalData
from engine.history import Event, History, payload_of
from tests.oracles.conversation.mentions import subjects_named_in
from tests.oracles.conversation.reading import (
    Items,
    deal_again,
    items_of,
    logged_turns,
    name_for_owner,
    names_of_subjects,
)
from tests.oracles.reading import breach_at, each_event, events_of, ids_of, setting_of

HIDDEN = {"proposal", "fault"}
PRIVATE = {"setup"}


def check_viewers(history: History) -> Iterator[str]:
    """Check that all see what is spoken, that one sees what it holds, and nobody a proposal."""
    everybody = sorted(ids_of(history))
    for event in history.events:
        due = everybody
        if event.kind in HIDDEN:
            due = []
        elif event.kind in PRIVATE:
            due = [str(event.player_id)]
        seen = sorted(event.visibility)
        if seen != due:
            yield breach_at(event, f"a {event.kind} that {due} see: {seen} see it")


def check_asked_at_once(history: History) -> Iterator[str]:
    """Check that all propose at once: each was asked before anything else in its turn."""
    for log in history.rounds:
        first = log.events[len(events_of(log, "setup"))].index
        for event in events_of(log, "proposal"):
            asked = event.prompt
            if asked is not None and asked.upto != first:
                due = f"{event.player_id} to be asked before event {first}"
                yield breach_at(event, f"{due}: it was before event {asked.upto}")


def check_told(history: History) -> Iterator[str]:
    """Check that the screen and the transcript show what the data says."""
    items = items_of(deal_again(history))
    pauses = 0
    for turn in logged_turns(history):
        event = turn.event
        pauses = 0 if turn.item_id is not None else pauses + 1
        if turn.item_id is not None:
            yield from check_item_told(event, items[turn.item_id])
        elif str(pauses) not in re.findall(r"\d+", event.content):
            yield breach_at(event, f"pause {pauses} in a row to be told: got {event.content!r}")
    yield from check_holdings_told(history)
    yield from check_proposals_told(history, items)


def check_item_told(event: Event, item: BankItem) -> Iterator[str]:
    """Check that a text shows an item's name and its importance in two digits."""
    name = name_for_owner(item.id)
    figure = f"{item.importance:.2f}"
    if not tells_item(event.content, name) or figure not in event.content:
        yield breach_at(event, f"{name!r} of importance {figure}: got {event.content!r:.200}")


def tells_item(text: str, name: str) -> bool:
    """Return whether a text has an item's name, and not only as part of another item's name."""
    return re.search(rf"(?<!\w)(?<!& ){re.escape(name)}(?!\w)(?! &)(?! \(\d+\))", text) is not None


def check_holdings_told(history: History) -> Iterator[str]:
    """Check that each player is shown all its items, and its ranking from best to worst."""
    names = names_of_subjects(history)
    holdings = deal_again(history)
    for _, event in each_event(history, "setup"):
        holding = holdings[str(event.player_id)]
        for item in holding.bank:
            yield from check_item_told(event, item)
        told = subjects_named_in(event.content, names)
        begins = [told[place:][: len(names)] for place in range(len(told))]
        if names and [*holding.ranking] not in begins:
            ranking = [names[subject] for subject in holding.ranking]
            yield breach_at(event, f"the ranking {ranking} to be told: got {event.content!r:.200}")


def check_proposals_told(history: History, items: Items) -> Iterator[str]:
    """Check that a proposal is shown with its item's name, and silence without one."""
    names = names_of_subjects(history) if setting_of(history, "bank_size") else []
    for _, event in each_event(history, "proposal"):
        item_id = payload_of(event, ProposalData).item
        if item_id is None:
            if subjects_named_in(event.content, names):
                yield breach_at(event, f"silence to be told: got {event.content!r}")
        elif item_id in items and not tells_item(event.content, name_for_owner(item_id)):
            yield breach_at(event, f"{item_id!r} to be told: got {event.content!r}")
