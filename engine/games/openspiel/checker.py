"""The rules as checks on a finished log: OpenSpiel alone plays its actions again."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.game import breach_at
from engine.games.openspiel.library import load_word, read_word
from engine.games.openspiel.position import (
    SpielPosition,
    apply_chance,
    go_on,
    movers,
    moves_by_words,
    open_position,
    sight_of,
    state_after,
)
from engine.games.openspiel.record import (
    ChanceOutcomes,
    PlayedMove,
    SpielOpening,
    chance_sees,
    move_sees,
    opening_line,
    outcome_by_returns,
    returns_line,
    returns_of,
)
from engine.history import Event, History, payload_of

MOVES = ("move", "forced")


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """An event of the log, and OpenSpiel's position before it."""

    event: Event
    position: SpielPosition


def opening_in(history: History) -> SpielOpening:
    """Return what the first event of a log says of the game."""
    return payload_of(history.rounds[0].events[0], SpielOpening)


def replay_steps(history: History) -> Iterator[ReplayStep]:
    """Yield each event but faults with the position before it, replayed from logged actions alone.

    ValueError where OpenSpiel cannot go on: an action is illegal, or somebody has not moved.
    """
    opening = opening_in(history)
    position = open_position(load_word(opening.word), opening.player_ids)
    pending: dict[int, int] = {}
    for event in history.events:
        if event.kind == "fault":
            continue
        yield ReplayStep(event, position)
        if event.kind in MOVES:
            move = payload_of(event, PlayedMove)
            refuse_illegal(event, position, move)
            pending[move.player] = move.action
            if pending.keys() == due_of(position):
                position = go_on(position, state_after(position, pending))
                pending = {}
        elif event.kind == "chance":
            actions = payload_of(event, ChanceOutcomes).actions
            position, line = apply_chance(position, actions)
            if event.content != line:
                raise ValueError(breach_at(event, f"{line!r:.200}: got {event.content!r:.200}"))
    if not position.is_over:
        raise ValueError("expected the logged actions to end the game: OpenSpiel waits for more")


def due_of(position: SpielPosition) -> set[int]:
    """Return the numbers of the players who have to move now."""
    return {player for player in movers(position) if position.state.legal_actions(player)}


def refuse_illegal(event: Event, position: SpielPosition, move: PlayedMove) -> None:
    """Raise ValueError unless OpenSpiel lets this player make this move now, in these words."""
    turn = not (position.is_over or position.is_chance) and move.player in movers(position)
    legal = moves_by_words(position, move.player) if turn else {}
    if legal.get(move.words) != move.action:
        raise ValueError(breach_at(event, f"a legal move of player {move.player}: got {move}"))


def check_legal(history: History) -> Iterator[str]:
    """Check that OpenSpiel accepts every logged action, and the game is over by them."""
    for step in replay_steps(history):
        if step.event.kind in MOVES:
            yield from check_move(step)


def check_move(step: ReplayStep) -> Iterator[str]:
    """Check that a move is told in its words, by its player, and forced only if it was."""
    event = step.event
    move = payload_of(event, PlayedMove)
    player_id = step.position.player_ids[move.player]
    if (event.player_id, event.content) != (player_id, move.words):
        yield breach_at(event, f"{move.words!r} of {player_id}: got {event.content!r:.80}")
    forced = len(moves_by_words(step.position, move.player)) == 1
    due = "forced" if forced else "move"
    if event.kind != due:
        yield breach_at(event, f"the kind {due}: got {event.kind}")


def check_named_game(history: History) -> Iterator[str]:
    """Check that the game is the one that the config names, and all seats have their number."""
    first = history.rounds[0].events[0]
    opening = payload_of(first, SpielOpening)
    asked = read_word(history.config["game"]["game"])
    played = read_word(opening.word)
    kept = {name: played.given.get(name) for name in asked.given}
    if played.name != asked.name or str(kept) != str(dict(asked.given)):
        yield breach_at(first, f"the game {asked.name} {dict(asked.given)}: got {opening.word}")
    seats = [seat.player_id for seat in history.players]
    if [*opening.player_ids] != seats:
        yield breach_at(first, f"the players {seats}: got {[*opening.player_ids]}")
    line = opening_line(
        asked.kind.long_name, opening.word, opening.player_ids, own_rules=opening.own_rules
    )
    if first.content != line:
        yield breach_at(first, f"{line!r}: got {first.content!r:.200}")


def check_who_sees(history: History) -> Iterator[str]:
    """Check that each event is seen by those who may, and a player's sight by the player alone."""
    for step in replay_steps(history):
        event = step.event
        due = due_visibility(step)
        if set(event.visibility) != set(due):
            yield breach_at(event, f"the {event.kind} to be seen by {due}: got {event.visibility}")
        if event.kind == "setup":
            number = step.position.number_of(str(event.player_id))
            if event.content != sight_of(step.position, number):
                yield breach_at(event, f"what OpenSpiel shows {event.player_id}: it is not")


def due_visibility(step: ReplayStep) -> tuple[str, ...]:
    """Return who may see an event."""
    event = step.event
    rules = step.position.rules
    player_ids = step.position.player_ids
    if event.kind == "setup":
        return (str(event.player_id),)
    if event.kind == "chance":
        return chance_sees(rules, player_ids)
    if event.kind in MOVES:
        return move_sees(rules, player_ids, str(event.player_id))
    return player_ids


def check_returns(history: History) -> Iterator[str]:
    """Check that result and outcome are OpenSpiel's returns for the logged actions."""
    for step in replay_steps(history):
        if step.event.kind != "result":
            continue
        line = returns_line(returns_of(step.position))
        if step.event.content != line:
            yield breach_at(step.event, f"{line!r}: got {step.event.content!r:.200}")
        due = outcome_by_returns(step.position)
        if history.outcome != due:
            yield f"outcome: expected {due}: got {history.outcome}"


def check_sights(history: History) -> Iterator[str]:
    """Check that who reads a prompt reads what OpenSpiel shows it now, and all its legal moves."""
    for step in replay_steps(history):
        event = step.event
        if event.kind != "move" or event.prompt is None:
            continue
        move = payload_of(event, PlayedMove)
        question = event.prompt.question
        sight = sight_of(step.position, move.player)
        if sight not in question:
            yield breach_at(event, f"the question to show what {event.player_id} sees: it does not")


def spiel_breaches(history: History) -> Iterator[str]:
    """Yield what OpenSpiel finds wrong in a log."""
    yield from check_named_game(history)
    yield from check_legal(history)
    yield from check_who_sees(history)
    yield from check_returns(history)
    yield from check_sights(history)
