"""Check that a finished log's actions follow the rules, by replaying them in OpenSpiel."""

from collections.abc import Iterator, Sequence

from engine.game import breach_at, opening_breaches, outcome_breaches
from engine.games.openspiel.library import load_word, read_word
from engine.games.openspiel.position import (
    SpielPosition,
    after_actions,
    apply_chance,
    movers,
    moves_by_words,
    open_position,
    sight_of,
)
from engine.games.openspiel.record import (
    ChanceOutcomes,
    PlayedMove,
    SpielOpening,
    opening_line,
    outcome_by_returns,
    readers_of,
    returns_line,
)
from engine.history import Event, History, payload_of

MOVES = ("move", "forced")


def replay_steps(history: History, opening: SpielOpening) -> Iterator[tuple[Event, SpielPosition]]:
    """Replay a log, and yield each event (except faults) with the position that precedes it.

    Raises ValueError if an action is illegal or a move is missing.
    """
    position = open_position(load_word(opening.word), opening.player_ids)
    pending: dict[int, int] = {}
    for event in history.events:
        if event.kind == "fault":
            continue
        yield event, position
        if event.kind in MOVES:
            move = payload_of(event, PlayedMove)
            refuse_illegal(event, position, move)
            pending[move.player] = move.action
            due = {player for player in movers(position) if position.state.legal_actions(player)}
            if pending.keys() == due:
                position = after_actions(position, pending)
                pending = {}
        elif event.kind == "chance":
            position = after_logged_chance(event, position)
    if not position.is_over:
        raise ValueError("expected the logged actions to end the game: OpenSpiel waits for more")


def refuse_illegal(event: Event, position: SpielPosition, move: PlayedMove) -> None:
    """Raise ValueError unless the move is legal for its player and the words match the action."""
    turn = not (position.is_over or position.is_chance) and move.player in movers(position)
    legal = moves_by_words(position, move.player) if turn else {}
    if legal.get(move.words) != move.action:
        raise ValueError(breach_at(event, f"a legal move of player {move.player}: got {move}"))


def after_logged_chance(event: Event, position: SpielPosition) -> SpielPosition:
    """Return the position after a logged chance event; raise ValueError if its text differs."""
    actions = payload_of(event, ChanceOutcomes).actions
    position, line = apply_chance(position, actions)
    if event.content != line:
        raise ValueError(breach_at(event, f"{line!r:.200}: got {event.content!r:.200}"))
    return position


def check_move(event: Event, position: SpielPosition) -> Iterator[str]:
    """Yield breaches in a move's text, player or kind, or if its prompt lacks the player's view."""
    move = payload_of(event, PlayedMove)
    player_id = position.player_ids[move.player]
    if (event.player_id, event.content) != (player_id, move.words):
        yield breach_at(event, f"{move.words!r} of {player_id}: got {event.content!r:.80}")
    due = "forced" if len(moves_by_words(position, move.player)) == 1 else "move"
    if event.kind != due:
        yield breach_at(event, f"the kind {due}: got {event.kind}")
    asked = event.prompt if event.kind == "move" else None
    if asked is not None and sight_of(position, move.player) not in asked.question:
        yield breach_at(event, f"the question to show what {event.player_id} sees: it does not")


def check_named_game(history: History, opening: SpielOpening) -> Iterator[str]:
    """Yield breaches if the game is not the one in the config, or its opening does not match."""
    first = history.rounds[0].events[0]
    asked = read_word(history.config["game"]["game"])
    played = read_word(opening.word)
    kept = {name: played.given.get(name) for name in asked.given}
    if played.name != asked.name or str(kept) != str(dict(asked.given)):
        yield breach_at(first, f"the game {asked.name} {dict(asked.given)}: got {opening.word}")
    line = opening_line(
        asked.kind.long_name, opening.word, opening.player_ids, own_rules=opening.own_rules
    )
    yield from opening_breaches(history, opening.player_ids, line)


def check_readers(event: Event, position: SpielPosition) -> Iterator[str]:
    """Yield breaches if the wrong players see an event, or a setup lacks its player's view."""
    if event.kind == "setup":
        number = position.number_of(str(event.player_id))
        if event.content != sight_of(position, number):
            yield breach_at(event, f"what OpenSpiel shows {event.player_id}: it is not")
    due = due_readers(event, position)
    if set(event.visibility) != set(due):
        yield breach_at(event, f"the {event.kind} to be seen by {due}: got {event.visibility}")


def due_readers(event: Event, position: SpielPosition) -> Sequence[str]:
    """Return the players that should see an event."""
    rules, player_ids = position.rules, position.player_ids
    if event.kind == "chance":
        return readers_of(rules, player_ids)
    if event.kind in MOVES:
        return readers_of(rules, player_ids, str(event.player_id))
    if event.kind == "setup":
        return (str(event.player_id),)
    return player_ids


def spiel_breaches(history: History) -> Iterator[str]:
    """Yield the rule breaches found by replaying a log in OpenSpiel."""
    opening = payload_of(history.rounds[0].events[0], SpielOpening)
    yield from check_named_game(history, opening)
    for event, position in replay_steps(history, opening):
        if event.kind in MOVES:
            yield from check_move(event, position)
        elif event.kind == "result":
            line = returns_line(position.returns)
            if event.content != line:
                yield breach_at(event, f"{line!r}: got {event.content!r:.200}")
            yield from outcome_breaches(history, outcome_by_returns(position))
        yield from check_readers(event, position)
