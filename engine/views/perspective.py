"""The part of a record that one player saw, to show instead of the whole."""

from dataclasses import replace

from engine.history import Event, History, RoundLog, Seat


def event_as(event: Event, player_id: str) -> Event | None:
    """Return `event` as `player_id` has it, None if it is not visible to that player.

    Of an event only its content reaches players, so data is left out; prompt, reasoning, tokens and
    attempts are left to the player whose event it is.
    """
    if player_id not in event.visibility:
        return None
    seen = replace(event, data={})
    if event.player_id == player_id:
        return seen
    return replace(
        seen,
        prompt=None,
        reasoning="",
        usage=None,
        attempts=(),
        fell_back=False,
    )


def seen_by(history: History, player_id: str) -> History:
    """Return `history` as `player_id` has it: the events it saw, its own seat, how the game ended.

    ValueError if nobody of that name plays.
    """
    names = [seat.player_id for seat in history.players]
    if player_id not in names:
        known = ", ".join(names)
        raise ValueError(f"expected one of the players {known}: {player_id!r}")

    seats = [_seat_as(seat, player_id) for seat in history.players]
    rounds = [_round_as(log, player_id) for log in history.rounds]
    return replace(
        history,
        players=seats,
        config=_public_config(history),
        rounds=rounds,
    )


def _public_config(history: History) -> dict[str, object]:
    """Return the settings without what they say of single players."""
    config = {**history.config}
    config.pop("player_configs", None)
    game = config.get("game")
    if isinstance(game, dict):
        config["game"] = {name: value for name, value in game.items() if name != "names"}
    return config


def _round_as(log: RoundLog, player_id: str) -> RoundLog:
    events = []
    for event in log.events:
        seen = event_as(event, player_id)
        if seen is not None:
            events.append(seen)
    return replace(log, events=events)


def _seat_as(seat: Seat, player_id: str) -> Seat:
    if seat.player_id == player_id:
        return seat
    return Seat(seat.player_id, "", "")
