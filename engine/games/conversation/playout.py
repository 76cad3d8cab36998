"""Play whole conversations between strategies, without the engine or a log, for studies."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from engine.games.conversation.record import Composition, Conversation
from engine.games.conversation.rules import is_over
from engine.games.conversation.state import (
    Strategy,
    after_turn,
    choose_item,
    conversation_of,
    observe_each,
    proposal_fault,
    start_conversation,
)
from engine.rng import stream


class ProposalFault(NamedTuple):
    """A player's mistake in turn `turn` (counted from 0), in which the player is then silent."""

    turn: int
    player_id: str
    reason: str


class PlayedOut(NamedTuple):
    """A finished conversation, ready for `score`, and the faults that occurred."""

    conversation: Conversation
    faults: tuple[ProposalFault, ...]


def play_out(
    strategies: Mapping[str, Strategy],
    *,
    bank_size: int = 10,
    subjects: int | Sequence[str] = 20,
    length: int = 20,
    seed: int = 0,
    composition: Composition = "half",
) -> PlayedOut:
    """Play a conversation to its end; `strategies` maps player ids, in seat order, to strategies.

    The random streams are the same as in an engine game with the same seed. A strategy that raises
    an Exception or proposes an item that it does not have is silent in that turn. Raises ValueError
    for invalid settings.

    >>> from engine.games.conversation.strategies import STRATEGIES
    >>> play_out({"ann": STRATEGIES["silent"], "ben": STRATEGIES["silent"]}).conversation.turns
    (None, None, None)
    """
    state = start_conversation(
        tuple(strategies),
        bank_size=bank_size,
        subjects=subjects,
        length=length,
        rng=stream(seed, "start"),
        composition=composition,
    )
    seats = []
    for player_id, strategy in strategies.items():
        ids = {item.id for item in state.banks[player_id]}
        seats.append((player_id, ids, strategy, stream(seed, "seat", player_id)))
    faults: list[ProposalFault] = []
    while not is_over(state.turns, length):
        turn = len(state.turns)
        proposals: dict[str, str] = {}
        for (player_id, ids, strategy, rng), seen in zip(seats, observe_each(state), strict=True):
            try:
                proposal = strategy(seen, rng)
                # Most proposals are valid, and `proposal_fault` takes as long as a simple strategy.
                is_valid = type(proposal) is str and proposal in ids
                reason = None if is_valid else proposal_fault(state, player_id, proposal)
            except Exception as fault:
                reason = f"expected a proposal: {fault!r}"
            if reason is not None:
                faults.append(ProposalFault(turn, player_id, reason))
            elif proposal is not None:
                proposals[player_id] = proposal
        spoken = choose_item(state, proposals, partial(stream, seed, "round", turn + 1))
        state = after_turn(state, spoken)
    return PlayedOut(conversation_of(state), tuple(faults))


# Earlier names, which notebooks import.
Fault = ProposalFault
