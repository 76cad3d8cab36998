"""A seat in an arena game as an OpenEnv environment."""

from collections.abc import Sequence
from typing import Any

from openenv.core.env_server.interfaces import Environment

from arena_openenv.arena import find_arena
from arena_openenv.messages import SeatAction, SeatObservation, SeatState
from arena_openenv.remote_game import RemoteGame

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hal")
MOST = len(NAMES) - 1
# Default opponents; in every other game, the default is one `random`.
RIVALS = {
    "conversation": "greedy,random",
    "deliberations": "loyal,grudge,random",
    "dilemma": "tit_for_tat,grudger,random",
    "guest": "leader,random",
    "talks": "fresh,terse",
    "textarena": "brackets",
}


class ArenaSeat(Environment[SeatAction, SeatObservation, SeatState]):
    """One seat: `reset` begins a game, and `step` answers a question."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        """Find the arena, or start it."""
        super().__init__()
        self._address, self._token = find_arena()
        self._game: RemoteGame | None = None
        self._seat = ""
        self._state = SeatState()

    def reset(  # noqa: PLR0917 - OpenEnv passes all of them by name
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "dilemma",
        settings: dict[str, Any] | None = None,
        rivals: list[str] | None = None,
        place: int = 0,
        **kwargs: Any,
    ) -> SeatObservation:
        """Begin a game and return the first question; raise ValueError if it cannot begin.

        `settings` are the game's settings, `rivals` are strategies for the other seats, and `place`
        is the agent's seat, counted from 0.
        """
        if kwargs:
            raise ValueError(f"expected seed, game, settings, rivals or place: got {[*kwargs]}")
        self.close()
        strategies = RIVALS.get(game, "random").split(",") if rivals is None else rivals
        players = _seat_all(strategies, place)
        config = {"game": {"name": game, **(settings or {})}, "player_configs": players}
        if seed is not None:
            config["seed"] = seed
        self._seat = NAMES[place]
        self._game = RemoteGame(self._address, self._token, config, self._seat)
        name = self._game.name
        self._state = SeatState(episode_id=episode_id or name, game=game, name=name)
        return self._next(None)

    def step(
        self, action: SeatAction, timeout_s: float | None = None, **kwargs: Any
    ) -> SeatObservation:
        """Answer the open question and return the next, or the same after an invalid answer."""
        del kwargs
        if self._game is None or self._game.question is None:
            raise ValueError("no question is open: reset begins a game")
        self._state.step_count += 1
        refused = _wrong_types(action.values)
        if not refused:
            refused = self._game.answer({name: str(value) for name, value in action.values.items()})
        if refused:
            return self._asked(self._game, refused)
        return self._next(timeout_s)

    @property
    def state(self) -> SeatState:
        """The current game, and the number of answers given."""
        return self._state

    def close(self) -> None:
        """Leave the game, finished or not."""
        if self._game is not None:
            self._game.leave()
        self._game = None

    def _next(self, timeout_s: float | None) -> SeatObservation:
        assert self._game is not None
        self._game.wait(timeout_s)
        if self._game.question is not None:
            return self._asked(self._game)
        ended = self._game.end()
        outcome = ended["outcome"]
        events = [*self._game.heard, outcome["summary"]]
        worth = _share_behind(outcome["placements"], self._seat)
        # The reward is 0 if any seat answered too few questions.
        reward = 0.0 if ended["void"] or ended["void_seats"] else worth
        return SeatObservation(events=events, done=True, reward=reward)

    @staticmethod
    def _asked(game: RemoteGame, refused: str = "") -> SeatObservation:
        asked = game.question
        assert asked is not None
        events, game.heard = game.heard, []
        return SeatObservation(
            question=asked["question"],
            fields=asked["fields"],
            events=events,
            refused=refused,
            reward=0.0,
        )


def _wrong_types(values: Any) -> str:
    """Return why the values cannot answer any question, or "" if they can."""
    if not isinstance(values, dict):
        return f"expected values to be an object, a value for each field: got {values!r:.80}"
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            return f"expected {name!s:.40} to be a choice, its number, or words: got {value!r:.80}"
    return ""


def _seat_all(strategies: Sequence[str], place: int) -> list[dict[str, str]]:
    """Return a game's players, the agent at `place`; raise ValueError if there is no such place."""
    rivals = len(strategies)
    if not 0 <= place <= rivals <= MOST:
        raise ValueError(
            f"expected at most {MOST} rivals and a place from 0 to {rivals}: got {rivals} and "
            f"{place}"
        )
    players = [{"provider": "scripted", "model": strategy} for strategy in strategies]
    players.insert(place, {"provider": "human"})
    for name, player in zip(NAMES, players, strict=False):
        player["player_id"] = name
    return players


def _share_behind(places: dict[str, int], seat: str) -> float:
    """Return the share of rivals placed behind a seat, 0 to 1; ties count half."""
    own_place = places[seat]
    behind = sum(place > own_place for place in places.values())
    level = sum(place == own_place for place in places.values()) - 1
    return (behind + level / 2) / (len(places) - 1)
