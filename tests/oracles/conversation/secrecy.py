"""What a conversation keeps private, checked on a log: rankings, items, proposals, reasons.

Secrets are found by their content and not by the words around them, so prompts can be reworded.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.games.conversation.payloads import BankItem, ProposalData, SetupData
from engine.history import Event, History, payload_of
from tests.oracles.conversation.mentions import (
    Subjects,
    is_part,
    lists_in,
    mentions_by_name,
    mentions_by_number,
)
from tests.oracles.conversation.passages import Passage, joined_text, passages_of
from tests.oracles.conversation.reading import (
    deal_again,
    logged_turns,
    name_for_owner,
    names_of_subjects,
)
from tests.oracles.conversation.sight import tells_item
from tests.oracles.reading import each_event

# This many subjects in a row are no coincidence; two in a row are not a list.
STRETCH = 8
LEAST = 3
LEAST_NUMBERS = 4
# Shorter texts may be in a prompt by chance.
TELLING = 12
# This many characters of an importance, such as 0.123456, occur in no other number.
EXACT = 8


def check_ranking_secrecy(history: History) -> Iterator[str]:
    """Check that no prompt contains another player's ranking, by names or by numbers.

    "Each player does NOT know other players' subject rankings." Of many subjects eight in a row
    tell. A list that has a reason of its own is no ranking.
    """
    names = names_of_subjects(history)
    length = min(len(names), STRETCH)
    if length < LEAST:
        return
    holdings = deal_again(history)
    owners = owners_of_stretches(holdings, length)
    orders = public_orders(names)
    for passage in passages_of(history):
        own = [*orders, singles_of(holdings[passage.reader])]
        for stretch in listed_subjects(passage.text, tuple(names), length):
            told = owners.get(stretch, [passage.reader])
            reasons = [order for order in own if is_part(stretch, order)]
            if passage.reader not in told and not reasons:
                listed = [names[subject] for subject in stretch]
                yield f"{passage.where}: expected nothing of {told[0]}'s ranking: got {listed}"


def owners_of_stretches(
    holdings: Mapping[str, SetupData],
    length: int,
) -> dict[Subjects, list[str]]:
    """Return the owners of rankings by each run of `length` subjects in them."""
    owners: dict[Subjects, list[str]] = {}
    for player_id, holding in holdings.items():
        ranking = holding.ranking
        for begin in range(len(ranking) - length + 1):
            owners.setdefault(ranking[begin : begin + length], []).append(player_id)
    return owners


def public_orders(names: list[str]) -> list[list[int]]:
    """Return the orders in which any player may list subjects: by number or alphabetically."""
    numbers = [*range(len(names))]
    alphabet = sorted(numbers, key=names.__getitem__)
    return [numbers, alphabet]


def singles_of(holding: SetupData) -> list[int]:
    """Return the subjects of a player's single-subject items, in the order of its bank."""
    return [item.subjects[0] for item in holding.bank if len(item.subjects) == 1]


def listed_subjects(text: str, names: tuple[str, ...], length: int) -> Iterator[Subjects]:
    """Yield each `length` subjects that a text lists, by their names or by their numbers."""
    yield from lists_in(mentions_by_name(text, names), length)
    if length >= LEAST_NUMBERS:
        yield from lists_in(mentions_by_number(text), length)


def check_item_secrecy(history: History) -> Iterator[str]:
    """Check that no prompt reveals another player's item that has not been spoken yet."""
    spoken = events_of_speech(history)
    passages = passages_of(history)
    everything = joined_text(passages)
    for sign, items in items_by_sign(history).items():
        if sign not in everything:
            continue
        for passage in [passage for passage in passages if sign in passage.text]:
            known = any(is_known(item, passage, spoken) for item in items)
            if not known and has_sign(passage.text, sign):
                item_id = items[0].id
                yield f"{passage.where}: expected nothing of the unspoken {item_id!r}: got {sign!r}"


def events_of_speech(history: History) -> dict[str, int]:
    """Return the index of the event in which each item was first spoken."""
    first: dict[str, int] = {}
    for turn in logged_turns(history):
        if turn.item_id is not None:
            first.setdefault(turn.item_id, turn.event.index)
    return first


def is_known(item: BankItem, passage: Passage, spoken: Mapping[str, int]) -> bool:
    """Return whether a passage's reader may know an item: its own, or already spoken."""
    if item.player_id == passage.reader:
        return True
    return item.id in spoken and spoken[item.id] <= passage.upto


def items_by_sign(history: History) -> dict[str, list[BankItem]]:
    """Return the texts that give items away, each with the items it may refer to."""
    holdings = deal_again(history)
    signs: dict[str, list[BankItem]] = {}
    for _, event in each_event(history, "setup"):
        for item in holdings[str(event.player_id)].bank:
            for sign in signs_of(item, event.content):
                signs.setdefault(sign, []).append(item)
    return signs


def signs_of(item: BankItem, told: str) -> list[str]:
    """Return what gives an item away: its id, its exact importance, the words its owner reads.

    `told` is what the owner was told that it holds.
    """
    signs = [item.id]
    exact = repr(item.importance)[:EXACT]
    if "e" not in exact and len(exact) == EXACT:
        signs.append(exact)
    name = re.escape(name_for_owner(item.id))
    figure = re.escape(f"{item.importance:.2f}")
    found = re.search(rf"(?<!\w)(?<!& ){name}(?!\w)(?! &)(?! \(\d)[^\d;]{{0,40}}{figure}", told)
    if found:
        signs.append(found.group())
    return signs


def has_sign(text: str, sign: str) -> bool:
    """Return whether a text has a sign that is not part of another item's name."""
    if ": " in sign:
        return tells_item(text, sign)
    return re.search(rf"(?<!\w)(?<!& ){re.escape(sign)}", text) is not None


class PrivateWords(NamedTuple):
    """Words that only the log may contain: the author, the event and the text."""

    author: str
    event: int
    kind: str
    words: str


def check_proposal_secrecy(history: History) -> Iterator[str]:
    """Check that no prompt reveals another player's proposal, its reason or its reasoning."""
    passages = passages_of(history)
    everything = joined_text(passages)
    for event in history.events:
        for secret in secrets_in(event):
            if secret.words in everything:
                yield from secret_told(history, passages, secret)


def secrets_in(event: Event) -> Iterator[PrivateWords]:
    """Yield an event's private texts that are long enough to be distinguished."""
    if event.kind != "proposal" or event.player_id is None:
        return
    data = payload_of(event, ProposalData)
    texts = {"reason": data.rationale, "reasoning": event.reasoning}
    if data.item is not None:
        texts["proposal"] = event.content
    for kind, words in texts.items():
        if len(words) >= TELLING:
            yield PrivateWords(event.player_id, event.index, kind, words)


def secret_told(history: History, passages: list[Passage], secret: PrivateWords) -> Iterator[str]:
    """Yield where others read a secret that its author had not read before, nor they written."""
    before = [passage for passage in passages if passage.upto < secret.event]
    read = [passage.text for passage in before if passage.reader == secret.author]
    if secret.words in "\0".join(read):
        return
    written = authors_of(history, secret)
    for passage in passages:
        if passage.reader not in written and secret.words in passage.text:
            what = f"{secret.author}'s {secret.kind} of event {secret.event}"
            yield f"{passage.where}: expected nothing of {what}: got {secret.words!r:.100}"


def authors_of(history: History, secret: PrivateWords) -> set[str]:
    """Return the players that wrote the same words anywhere in the game."""
    secrets = [other for event in history.events for other in secrets_in(event)]
    return {other.author for other in secrets if other.words == secret.words}
