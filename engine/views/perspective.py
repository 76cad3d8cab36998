"""The part of a record that one player saw, to be shown instead of the whole."""

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
    return replace(seen, prompt=None, reasoning="", usage=None, attempts=(), fell_back=False)


def seen_by(history: History, player_id: str) -> History:
    """Return `history` as `player_id` has it: the events it saw, its own seat, and how the game ended.

    ValueError if nobody of that name sits at the table.
    """
    players = [_seat_as(seat, player_id) for seat in history.players]
    if player_id not in {seat.player_id for seat in players}:
        raise ValueError(
            f"expected one of the players {', '.join(seat.player_id for seat in players)}: {player_id!r}"
        )
    config = {name: value for name, value in history.config.items() if name != "player_configs"}
    if isinstance(game := config.get("game"), dict):
        config["game"] = {name: value for name, value in game.items() if name != "names"}
    rounds = [_round_as(log, player_id) for log in history.rounds]
    return replace(history, players=players, config=config, rounds=rounds)


def _round_as(log: RoundLog, player_id: str) -> RoundLog:
    return replace(
        log,
        events=[seen for event in log.events if (seen := event_as(event, player_id)) is not None],
    )


def _seat_as(seat: Seat, player_id: str) -> Seat:
    return seat if seat.player_id == player_id else Seat(seat.player_id, "", "")
