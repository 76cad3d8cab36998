"""Read logs of Agent Island, a game in which players pitch and vote each other out.

The engine and its logs are by C. Murphy (github.com/connachermurphy/agent-island-public, 2026): one
JSON file per game, with `history` by round number. The rounds share their lists of players, so the
final round and each round's eliminated players are recomputed. `active_visibility` shows which
players still remember an event. It determines which events a summary `replaces` in its player's
memory. Foreign prompts are not imported.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from engine.exchange.foreign import (
    MOST_ROUNDS,
    MOST_SEATS,
    Line,
    excerpt,
    foreign_name,
    foreign_number,
    mapping_in,
    others_in,
    parse_object,
)
from engine.exchange.game import NO_TIME, ForeignGame, LogFormat, Reading, open_history
from engine.exchange.makers import maker_of
from engine.exchange.voting.checks import eliminations_sentence, figures_of_votes
from engine.exchange.voting.island_events import names_listed
from engine.exchange.voting.island_rounds import add_summaries, island_round
from engine.exchange.voting.rows import voting_game
from engine.history import History, Outcome, Seat
from providers.settings import public_settings

TOP = frozenset({"game", "players", "stats", "history", "memory"})
WHO = frozenset({"player_id", "provider", "model", "memory_strategy"})
PLAYER = WHO | {"character_prompt", "client_kwargs"}
FEWEST = 2


class AgentIsland(LogFormat):
    """Logs of Agent Island, with one JSON file per game; the entrants are models."""

    name = "agent_island"
    about = "logs of Agent Island's engine"
    suffixes = (".json",)

    def read(self, content: bytes, game_id: str, reading: Reading) -> ForeignGame:
        """Return the game in a log; raise ValueError if it is invalid."""
        log = parse_object(content)
        if "history" not in log and "1" in log:
            # Older engines recorded players only in the rounds.
            log = {"history": log}
        others_in(log, TOP, reading.unknown)
        rounds = rounds_in(log)
        facts = mapping_in(log, "game")
        config = {"foreign_id": str(facts.get("id", ""))[:200]}
        history = open_history(self.name, game_id, config, island_seats(log, reading))
        for number, round_data in rounds:
            island_round(history, number, round_data, reading)
            add_summaries(history, history.rounds[-1], log.get("memory"))
        date(history, facts.get("timestamp"))
        end_island(history, facts)
        return voting_game(history, figures_of_votes(history))

    def sentences(self, figures: Counter[str]) -> list[str]:
        """Return the import's summary sentences."""
        return [eliminations_sentence(figures)]


def rounds_in(log: Line) -> list[tuple[int, Line]]:
    """Return the rounds, ordered by number; raise ValueError for an invalid round."""
    rounds = log.get("history")
    if not isinstance(rounds, dict) or not rounds:
        raise ValueError(f"expected the rounds of a game under history: got {excerpt(rounds)}")
    numbered = {}
    for key, round_data in rounds.items():
        number = foreign_number(key, "the number of a round")
        is_number = number.is_integer() and 1 <= number <= MOST_ROUNDS
        if not is_number or not isinstance(round_data, dict):
            raise ValueError(f"expected rounds by number, from 1: got {excerpt(key)}")
        numbered[int(number)] = round_data
    return sorted(numbered.items())


def island_seats(log: Line, reading: Reading) -> list[Seat]:
    """Return the players; older logs contain only their ids."""
    players = mapping_in(log, "players")
    names = [*players] or players_in(log["history"])
    if not FEWEST <= len(names) <= MOST_SEATS:
        raise ValueError(f"expected at least {FEWEST} players: got {len(names)}")
    seats = []
    for name in names:
        config = mapping_in(players, name)
        others_in(config, PLAYER, reading.unknown)
        seats.append(_seat_of(name, config, reading.makers))
    return seats


def _seat_of(name: str, config: Line, makers: Mapping[str, str]) -> Seat:
    model = str(config.get("model") or "")[:200]
    maker = maker_of(model, makers)
    return Seat(
        player_id=foreign_name(name, "a player's id"),
        provider=maker,
        model=model,
        character_prompt=str(config.get("character_prompt") or ""),
        client_kwargs=public_settings(maker, mapping_in(config, "client_kwargs")),
    )


def players_in(rounds: Mapping[str, Any]) -> list[str]:
    """Return every player listed in any round as active or eliminated, sorted."""
    player_ids: set[str] = set()
    for key in rounds:
        player_lists = mapping_in(rounds, key)
        for listed in ("active_player_ids", "eliminated_player_ids"):
            player_ids.update(names_listed(player_lists.get(listed)))
    return sorted(player_ids)


def date(history: History, timestamp: Any) -> None:
    """Set the time of all events to the start of the game; the log has no other time."""
    began = NO_TIME
    with suppress(ValueError):
        began = datetime.strptime(f"{timestamp}+0000", "%Y%m%d_%H%M%S%z").isoformat()
    for event in history.events:
        event.timestamp = began


def end_island(history: History, facts: Mapping[str, Any]) -> None:
    """Set the places from the rounds, unless the game failed or has no winner."""
    last = history.rounds[-1]
    status = facts.get("status")
    if status == "completed":
        # A game's settings may end the game while more than two players are left.
        last.final_round = True
    placements = places_by_rounds(history)
    scores = {player: float(place == 1) for player, place in placements.items()}
    winners = [player for player, score in scores.items() if score]
    if status == "failed" or not winners:
        history.status = "failed" if status == "failed" else "stopped"
        reason = facts.get("error") or "the log names no winner"
        history.reason = f"{reason!s:.300}"
        return
    history.status = "finished"
    history.outcome = Outcome(placements, scores, summary=f"{winners[0]} wins the game.")


def places_by_rounds(history: History) -> dict[str, int]:
    """Return each player's place.

    The winner has place 1, the other finalists have place 2, and the first player to leave has the
    last place.
    """
    placements: dict[str, int] = {}
    winner = None
    for log in history.rounds:
        for event in log.events:
            selected = event.data.get("selected")
            if event.kind != "result" or selected is None:
                continue
            if log.final_round:
                winner = selected
            else:
                placements[selected] = len(history.players) - len(placements)
    if winner is not None:
        for seat in history.players:
            placements.setdefault(seat.player_id, 2)
        placements[winner] = 1
    return placements
