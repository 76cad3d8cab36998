"""The state of a conversation, how each turn changes it, and each player's view of it."""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from engine.games.conversation.record import Composition, Conversation, Item
from engine.games.conversation.rules import check_settings, choose_speaker, deal, subject_names


class ConversationState(NamedTuple):
    """A conversation so far: the deal, and the item of each turn (None for a pause).

    `contributions` also counts repeats. `last_speaker` spoke the last item, before any pauses.
    `private` has the first fields of each seat's Observation, from `player_id` to `bank_size`.
    """

    length: int
    bank_size: int
    subject_names: tuple[str, ...]
    player_ids: tuple[str, ...]
    banks: Mapping[str, tuple[Item, ...]]
    rankings: Mapping[str, tuple[int, ...]]
    items: Mapping[str, Item]
    turns: tuple[Item | None, ...]
    contributions: MappingProxyType[str, int]
    last_speaker: str | None
    composition: Composition
    private: tuple[tuple[Any, ...], ...]


class Observation(NamedTuple):
    """Everything that one player knows; read-only.

    `players` are in seat order. `bank` and `ranking` (best subject first) are the player's own.
    `turns` has the spoken items, with None for a pause. `contributions` counts the items
    that each player has spoken.
    """

    player_id: str
    players: tuple[str, ...]
    bank: tuple[Item, ...]
    ranking: tuple[int, ...]
    length: int
    subjects: int
    bank_size: int
    turns: tuple[Item | None, ...]
    contributions: Mapping[str, int]
    composition: Composition = "half"


Strategy: TypeAlias = Callable[[Observation, random.Random], str | None]


def start_conversation(
    player_ids: Sequence[str],
    *,
    bank_size: int,
    subjects: int | Sequence[str],
    length: int,
    rng: random.Random,
    composition: Composition = "half",
) -> ConversationState:
    """Return the state before the first turn, with a deal drawn from `rng`.

    Raises ValueError for invalid settings and for player ids that would make item ids ambiguous.
    """
    if len({*player_ids}) < len(player_ids) or any(": " in player_id for player_id in player_ids):
        raise ValueError(
            f"expected player_ids to be all different, and without ': ': {list(player_ids)!r}"
        )
    names = subject_names(subjects)
    check_settings(
        players=len(player_ids),
        bank_size=bank_size,
        subjects=len(names),
        length=length,
    )
    banks, rankings = deal(
        player_ids, bank_size=bank_size, subjects=names, rng=rng, composition=composition
    )
    private = []
    for name in player_ids:
        own = (banks[name], rankings[name], length, len(names), bank_size)
        private.append((name, tuple(player_ids), *own))
    return ConversationState(
        length=length,
        bank_size=bank_size,
        subject_names=names,
        player_ids=tuple(player_ids),
        banks=MappingProxyType(banks),
        rankings=MappingProxyType(rankings),
        items=MappingProxyType({item.id: item for bank in banks.values() for item in bank}),
        turns=(),
        contributions=MappingProxyType(dict.fromkeys(player_ids, 0)),
        last_speaker=None,
        composition=composition,
        private=tuple(private),
    )


def proposal_fault(
    state: ConversationState,
    player_id: str,
    proposal: object,
) -> str | None:
    """Return why `proposal` is invalid, or None if it is None (silence) or the player's own item.

    "Propose one item from their memory bank (or choose not to propose = stay silent)."
    """
    if proposal is None:
        return None
    item = state.items.get(proposal) if isinstance(proposal, str) else None
    if item is None or item.player_id != player_id:
        return f"expected an item of the player's own bank, or None to stay silent: {proposal!r}"
    return None


def choose_item(
    state: ConversationState,
    proposals: Mapping[str, str | None],
    rng: Callable[[], random.Random],
) -> Item | None:
    """Return the item that is spoken next, or None for a pause.

    `proposals` maps each player to an item id or None; `proposal_fault` must accept each value. "If
    nobody proposes on a turn, the turn is recorded as a pause." `rng` is called for a random stream
    only if two or more players propose.
    """
    proposers = [name for name in state.player_ids if proposals.get(name) is not None]
    if not proposers:
        return None
    speaker = proposers[0]
    if len(proposers) > 1:
        speaker = choose_speaker(proposers, state.last_speaker, state.contributions, rng())
    item_id = proposals[speaker]
    assert item_id is not None
    return state.items[item_id]


def after_turn(state: ConversationState, item: Item | None) -> ConversationState:
    """Return the state after one more turn; `item` is the spoken item, or None for a pause."""
    contributions = state.contributions
    last_speaker = state.last_speaker
    if item is not None:
        last_speaker = item.player_id
        spoken = contributions[last_speaker] + 1
        contributions = MappingProxyType(contributions | {last_speaker: spoken})
    return ConversationState(
        state.length,
        state.bank_size,
        state.subject_names,
        state.player_ids,
        state.banks,
        state.rankings,
        state.items,
        (*state.turns, item),
        contributions,
        last_speaker,
        state.composition,
        state.private,
    )


def observe_each(state: ConversationState) -> list[Observation]:
    """Return each player's current observation, in seat order.

    "Each player does NOT know other players' subject rankings"; banks are private too.
    """
    public = (state.turns, state.contributions, state.composition)
    # Calling Observation(...) would take twice as long, and conversations spend much time here.
    new = tuple.__new__
    return [new(Observation, private + public) for private in state.private]


def conversation_of(state: ConversationState) -> Conversation:
    """Return the conversation so far as plain data for scoring."""
    return Conversation.unchecked(
        length=state.length,
        subjects=len(state.subject_names),
        rankings=dict(state.rankings),
        items=dict(state.items),
        turns=tuple([None if item is None else item.id for item in state.turns]),
    )


# Earlier names, which notebooks import.
State = ConversationState
start_state = start_conversation
advance = after_turn
settle = choose_item
fault_of = proposal_fault
