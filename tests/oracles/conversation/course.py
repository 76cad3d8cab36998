"""The course of a conversation, checked on a log: deal, proposals, speakers and end."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.games.conversation.payloads import ProposalData, SetupData
from engine.history import Event, History, RoundLog, payload_of
from engine.rng import stream
from tests.oracles.conversation.reading import LoggedTurn, deal_again, logged_turns, name_for_owner
from tests.oracles.reading import (
    breach_at,
    breach_in,
    events_but_faults,
    events_of,
    ids_of,
    letters_in,
    setting_of,
)

PAUSES_THAT_END = 3
# The choice in an answer's JSON.
CHOSEN = re.compile(r'"item"\s*:\s*"((?:[^"\\]|\\.)*)"')


def check_deal(history: History) -> Iterator[str]:
    """Check that players hold, and are told, what the seed deals: items, importance, rankings."""
    if not history.rounds:
        return
    due = deal_again(history)
    setups = events_of(history.rounds[0], "setup")
    owners = [event.player_id for event in setups]
    if owners != [*due]:
        yield f"deal: expected one setup of each of {[*due]}: got those of {owners}"
    for event in setups:
        yield from check_holding(event, payload_of(event, SetupData), due[str(event.player_id)])


def check_holding(event: Event, found: SetupData, due: SetupData) -> Iterator[str]:
    """Check what one player holds against what is `due` to it."""
    for place, item in enumerate(due.bank):
        got = found.bank[place] if place < len(found.bank) else None
        if got != item:
            yield breach_at(event, f"the dealt item {item}: got {got}")
    if len(found.bank) > len(due.bank):
        yield breach_at(event, f"{len(due.bank)} items: got {len(found.bank)}")
    if found.ranking != due.ranking:
        yield breach_at(event, f"the dealt ranking {due.ranking}: got {found.ranking}")


def check_turn_events(history: History) -> Iterator[str]:
    """Check that each round is one turn: proposals in seat order, then a speech or a pause."""
    ids = ids_of(history)
    length = setting_of(history, "length")
    for log in history.rounds:
        kinds = [event.kind for event in events_but_faults(log)]
        due = kinds_of_turn(log, len(ids), kinds[-1:])
        if kinds != due:
            yield breach_in(log, f"the events {due}: got {kinds}")
        proposers = [event.player_id for event in events_of(log, "proposal")]
        if proposers != ids:
            yield breach_in(log, f"one proposal of each of {ids}: got those of {proposers}")
        active = [*log.active_player_ids]
        if active != ids or log.eliminated_player_ids:
            yield breach_in(log, f"{ids} to take part: got {active}")
        last = log.round_index == length
        if log.final_round != last:
            yield breach_in(log, f"final_round {last} of {length} turns: got {log.final_round}")


def kinds_of_turn(log: RoundLog, players: int, found: Sequence[str]) -> list[str]:
    """Return the kinds of events that a turn must have; `found` is the kind of its last."""
    setups = ["setup"] * players if log.round_index == 1 else []
    return [*setups, *["proposal"] * players, "pause" if [*found] == ["pause"] else "speech"]


def check_proposals(history: History) -> Iterator[str]:
    """Check that "any player may propose one item from their memory bank", or stays silent."""
    holdings = deal_again(history)
    for turn in logged_turns(history):
        for event in events_of(turn.log, "proposal"):
            item_id = turn.proposals[str(event.player_id)]
            bank = [item.id for item in holdings[str(event.player_id)].bank]
            if item_id is not None and item_id not in bank:
                due = f"{event.player_id} to propose an item of its own bank"
                yield breach_at(event, f"{due}: got {item_id!r}")


def check_answered_items(history: History) -> Iterator[str]:
    """Check that what is proposed is what was answered, and silence where no answer could be."""
    for log in history.rounds:
        for event in events_of(log, "proposal"):
            item_id = payload_of(event, ProposalData).item
            if event.fell_back:
                if item_id is not None:
                    yield breach_at(event, f"silence without an answer: got {item_id!r}")
            elif event.attempts:
                yield from check_answer(event, item_id)


def check_answer(event: Event, item_id: str | None) -> Iterator[str]:
    """Check a proposal against the text of the answer that it is read from."""
    text = event.attempts[-1].text
    name = name_for_owner(item_id or "")
    if item_id is not None and letters_in(name) not in letters_in(text):
        yield breach_at(event, f"the item that was answered, {text!r:.200}: got {item_id!r}")

    chosen = CHOSEN.findall(text)
    named = letters_in(chosen[-1]) if chosen else letters_in(name)
    if item_id is not None and not named.startswith(letters_in(name)):
        yield breach_at(event, f"the item that was answered, {chosen[-1]!r}: got {item_id!r}")


class DueSpeaker(NamedTuple):
    """The player that must speak in a turn, or None for a pause, and the rule for it."""

    player_id: str | None
    rule: str


def check_speakers(history: History) -> Iterator[str]:
    """Check the speaker chosen in each turn, by the seed's coin toss or draw."""
    counts = dict.fromkeys(ids_of(history), 0)
    last: str | None = None
    for turn in logged_turns(history):
        due = speaker_due(history.seed, turn, counts, last)
        found = turn.event.player_id
        if found != due.player_id:
            expected = due.player_id or "a pause"
            told = f"{expected} in turn {turn.number}, {due.rule}"
            yield breach_at(turn.event, f"{told}: got {found or 'a pause'}")
        if found is not None:
            counts[found] += 1
            last = found


def speaker_due(
    seed: int,
    turn: LoggedTurn,
    counts: dict[str, int],
    last: str | None,
) -> DueSpeaker:
    """Return who must speak, given the items spoken so far and the speaker `last`.

    "If the previous non-pause speaker is among proposers, that speaker is selected with probability
    0.5 to speak again. Otherwise (or if the previous speaker is not chosen), the simulator selects
    uniformly at random among the proposers who have contributed the fewest items so far."
    """
    proposers = turn.proposers
    if not proposers:
        return DueSpeaker(None, "since nobody proposed")
    if len(proposers) == 1:
        return DueSpeaker(proposers[0], "the only one to propose")

    rng = stream(seed, "round", turn.number)
    if last in proposers:
        coin = rng.random()
        if coin < 0.5:
            return DueSpeaker(last, f"by the last speaker's coin, {coin:.3f}")
    fewest = min([counts[player_id] for player_id in proposers])
    tied = [player_id for player_id in proposers if counts[player_id] == fewest]
    return DueSpeaker(rng.choice(tied), f"drawn among those who spoke least, {tied}")


def check_speeches(history: History) -> Iterator[str]:
    """Check that a speaker speaks the same item that it proposed in that turn."""
    for turn in logged_turns(history):
        speaker = turn.event.player_id
        proposed = turn.proposals.get(speaker or "")
        if speaker is not None and turn.item_id != proposed:
            due = f"{speaker} to speak of its proposal {proposed!r}"
            yield breach_at(turn.event, f"{due} in turn {turn.number}: got {turn.item_id!r}")


def check_end(history: History) -> Iterator[str]:
    """Check that the game ended with "three consecutive pauses" or otherwise after L turns."""
    length = setting_of(history, "length")
    played, pauses = 0, 0
    for turn in logged_turns(history):
        if played >= length or pauses >= PAUSES_THAT_END:
            reason = f"{pauses} pauses in a row" if pauses >= PAUSES_THAT_END else f"turn {length}"
            yield breach_at(turn.event, f"the end after {reason}: got a turn {turn.number}")
            return
        played += 1
        pauses = 0 if turn.item_id is not None else pauses + 1

    if played < length and pauses < PAUSES_THAT_END:
        yield (
            f"end: expected {length} turns, or {PAUSES_THAT_END} pauses in a row: "
            f"got {played} turns, the last {pauses} of them pauses"
        )
