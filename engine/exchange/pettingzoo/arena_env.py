"""ArenaEnv: any of the arena's games in PettingZoo's agent-environment cycle."""

import asyncio
import secrets
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gymnasium import logger, spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import aec_to_parallel

from engine.config import MOST_SEED, GameEngineConfig
from engine.exchange.pettingzoo.encoders import encoder_for
from engine.exchange.pettingzoo.info import AskedInfo, Info
from engine.exchange.pettingzoo.open_game import OpenGame, Worded, close_loop, told_in_line
from engine.exchange.pettingzoo.tray import ParkedQuestion, Spokesman
from engine.games import GAMES, read_game
from engine.history import History
from engine.rng import number, stream
from engine.runs.seating import neutral, read_players
from player import Script
from protocol.seats import check_strategy, script_of
from protocol.suggest import one_of

RENDER_MODES = ("human", "ansi")
SCRIPT = "scripted:"
POLICY = "policy"
# The provider of a seat that outside code answers for.
OUTSIDE = "human"
USUAL_SEATS = 4
Players = int | str | Sequence[str] | None
# A question, the number of its fields decided so far, and the observation for it.
Sight = tuple[ParkedQuestion | None, int, Any]


# The library is an optional extra, which mypy does not follow.
class ArenaEnv(AECEnv):  # type: ignore[misc]
    """A game in which policies play all seats (the default) or only some of them.

    Agents are `player_0`, `player_1` ... in the order of the policies' seats; `names` maps them to
    their players' names. An agent is selected when its player must choose, or speak in a talk.
    Rewards are 0 until the end. The final reward is the player's score (in the guest game, the
    reward of the session). An action that the mask forbids is recorded as a fault, and the
    question's fallback is played. Invalid arguments raise ValueError.

    - `game`: its name; all other keywords are its settings.
    - `players`: the number of policies, or seats such as "policy,Zoe=policy,scripted:loyal".
    - `says`: what policies say if an answer needs words; "scripted:NAME" uses a script's words.
    - `seed`: the first game's seed, random if None. `reset(seed=...)` restarts from another seed.
    - `logs_dir`: a folder for logs, which can be replayed and checked.
    - `render_mode`: "ansi" returns the transcript, "human" prints it line by line.

    `infos` holds each agent's `name`, the `kind` and text of its `question`, and the `events` seen
    since its last question; at the end, `place`, `score` and `summary` replace the question. The
    text is rendered when `info["question"]` is read. Without a `logs_dir`, `history` lacks prompts,
    and some events that no player sees: flags in deliberations, and the reasons in talks.
    """

    metadata: dict[str, Any]
    agents: list[str]
    infos: dict[str, Info]

    def __init__(
        self,
        game: str = "dilemma",
        players: Players = None,
        *,
        says: str = "",
        seed: int | None = None,
        logs_dir: str | Path | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        if render_mode is not None:
            one_of(render_mode, RENDER_MODES, "render mode")
        self.render_mode = render_mode
        folder = None if logs_dir is None else Path(logs_dir)
        self.config, self.trained = read_table(game, players, folder, settings)
        game_played = self.config.game
        self.says = says
        self.script: Script | None = None
        if says.startswith(SCRIPT):
            name = check_strategy(says.removeprefix(SCRIPT), game_played)
            self.script = script_of(name, game_played)
        self._seed = check_seed(secrets.randbits(31) if seed is None else seed)
        self._games = 0
        self._worded: Worded = {}
        self._game: OpenGame | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end_loop: Callable[[], object] = bool
        self._end_game: Callable[[], object] = bool
        self._questions: dict[str, ParkedQuestion] = {}
        self._make_encoders()
        # This rejects invalid seats now, not at the first reset.
        config = neutral(self.config)
        config.game.start(config.player_ids, stream(0))

    def _make_encoders(self) -> None:
        game = self.config.game
        kind = encoder_for(game.name)
        players = len(self.config.player_ids)
        self.possible_agents = [f"player_{place}" for place in range(len(self.trained))]
        self.encoders = {agent: kind(game, players) for agent in self.possible_agents}
        self.played = game
        if self.config.logs_dir is None:
            self.played = kind.game_without_log(game)
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": [*RENDER_MODES],
            "render_fps": 4,
            "is_parallelizable": kind.parallel,
        }

    @property
    def names(self) -> dict[str, str]:
        """The name of each agent's player in this game."""
        return {agent: encoder.player_id for agent, encoder in self.encoders.items()}

    @property
    def history(self) -> History:
        """The game so far, including everything that is hidden from players."""
        return self._running().history

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space, always the same object."""
        return self.encoders[agent].observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space, always the same object."""
        return self.encoders[agent].action_space

    def action_meanings(self, agent: str) -> tuple[str, ...]:
        """Return what each of an agent's actions means for its last question, in words."""
        return self.encoders[agent].meanings(self._questions.get(agent))

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Begin a game.

        Without `seed`, the first game has the environment's seed, and later games have seeds
        derived from it.
        """
        del options
        if seed is not None:
            self._seed = check_seed(seed)
            self._games = 0
        self._end_game()
        drawn = self._seed
        if self._games:
            drawn = number(self._seed, "reset", self._games) % MOST_SEED
        self._games += 1
        self._open(drawn)
        self._clear_agents()
        self._go_on()

    def _open(self, seed: int) -> None:
        """Open a game with this seed."""
        config = neutral(self.config.model_copy(update={"seed": seed, "game": self.played}))
        # An anonymous game records the player in each seat.
        dealt: dict[str, str] = getattr(config.game, "names", {})
        seats = {name: seat for seat, name in dealt.items()}
        self._agent_of: dict[str, str] = {}
        encoders = {}
        for agent, name in zip(self.possible_agents, self.trained, strict=True):
            encoder = self.encoders[agent]
            player_id = seats.get(name, name)
            encoder.begin(player_id, config.player_ids)
            encoders[player_id] = encoder
            self._agent_of[player_id] = agent
        spokesman = Spokesman(self.says, self.script, seed)
        if self._loop is None:
            # All games share a loop, because creating one takes as long as several steps.
            self._loop = asyncio.new_event_loop()
            self._end_loop = weakref.finalize(self, close_loop, self._loop)
        self._game = OpenGame(config, encoders, spokesman, self._worded, self._loop)
        # This ends the pending task cleanly if the environment is never closed.
        self._end_game = weakref.finalize(self, self._game.close)

    def _clear_agents(self) -> None:
        """Reset the agents' observations, rewards and questions."""
        self.agents = [*self.possible_agents]
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._questions.clear()
        self._seen: dict[str, Sight] = {}
        self._shown = 0

    def _running(self) -> OpenGame:
        if self._game is None:
            raise ValueError("expected a game that has begun: call reset() first")
        return self._game

    def observe(self, agent: str) -> Any:
        """Return an agent's observation for its last question."""
        question = self._questions.get(agent)
        decided = 0 if question is None else len(question.values)
        seen = self._seen.get(agent)
        if seen is not None and seen[0] is question and seen[1] == decided:
            return seen[2]
        observed = self.encoders[agent].observe(question)
        self._seen[agent] = (question, decided, observed)
        return observed

    def step(self, action: Any) -> None:
        """Answer the selected agent's question; an invalid action only raises ValueError."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._running()
        question = self._questions[agent]
        if self.encoders[agent].decide(question, action):
            game.tray.reply()
            self._go_on()

    def _go_on(self) -> None:
        """Select the agent that is asked next, or end the game."""
        game = self._running()
        if game.run():
            self._put_questions(game)
        else:
            self._reward_all(game)
        if self.render_mode == "human":
            self.render()

    def _put_questions(self, game: OpenGame) -> None:
        """Give each agent its first open question; select the agent with the oldest question."""
        firsts: dict[str, ParkedQuestion] = {}
        for question in game.tray.questions:
            firsts.setdefault(question.player_id, question)
        for player_id, question in firsts.items():
            agent = self._agent_of[player_id]
            if self._questions.get(agent) is question:
                continue
            self._questions[agent] = question
            self.infos[agent] = AskedInfo(question.turn, game.hand_over(player_id))
        self.agent_selection = self._agent_of[next(iter(firsts))]

    def _reward_all(self, game: OpenGame) -> None:
        """Give each agent its reward, and mark all agents as done."""
        outcome = game.history.outcome
        assert outcome is not None
        for agent in self.agents:
            encoder = self.encoders[agent]
            self.rewards[agent] = self._cumulative_rewards[agent] = encoder.reward(outcome)
            self.terminations[agent] = True
            self.infos[agent] = {
                "name": encoder.player_id,
                "events": game.hand_over(encoder.player_id),
                "place": outcome.placements[encoder.player_id],
                "score": outcome.scores[encoder.player_id],
                "summary": outcome.summary,
            }
        self._deads_step_first()

    def render(self) -> str | None:
        """Return the transcript of visible events, or print its new lines."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: create the environment with a render_mode")
            return None
        lines = []
        for log in self.history.rounds:
            seen = (event for event in log.events if event.visibility)
            lines += [f"{log.round_index}  {told_in_line(event)}" for event in seen]
        if self.render_mode == "ansi":
            return "\n".join(lines)
        for line in lines[self._shown :]:
            print(line)
        self._shown = len(lines)
        return None

    def close(self) -> None:
        """End the game now; a logged game can be resumed."""
        self._end_game()
        self._end_loop()
        self._loop = None


class OrderEnforcing(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """The library's wrapper that rejects misuse; `last` makes one call instead of eleven."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, Info]:
        """Return the selected agent's observation, reward, termination, truncation and info."""
        last = self.unwrapped.last if self._has_reset else super().last
        seen: tuple[Any, float, bool, bool, Info] = last(observe)
        return seen


def check_seed(seed: int) -> int:
    """Return a seed as a Python int; raise ValueError if it is out of range."""
    if not -MOST_SEED <= seed <= MOST_SEED:
        raise ValueError(f"expected a seed from -10**18 to 10**18: got {seed!r}")
    return int(seed)


# PettingZoo's name for an environment without wrappers.
raw_env = ArenaEnv


def env(game: str = "dilemma", **terms: Any) -> Any:
    """Return an ArenaEnv in PettingZoo's wrapper that rejects calls out of order."""
    return OrderEnforcing(ArenaEnv(game, **terms))


def parallel_env(game: str = "guest", **terms: Any) -> Any:
    """Return the parallel environment of a game that asks all seats at once."""
    single = env(game, **terms)
    if not single.unwrapped.metadata["is_parallelizable"]:
        raise ValueError(
            f"expected a game that asks all players at once, conversation or guest: got {game!r}; "
            f"use env({game!r}), which asks one player at a time"
        )
    return aec_to_parallel(single)


def read_table(
    game: str, players: Players, logs_dir: Path | None, settings: dict[str, Any]
) -> tuple[GameEngineConfig, list[str]]:
    """Return the config of the games, and the ids of the players that policies control.

    `players` is the number of policies, or a list of seats: "policy", "NAME=policy", or any other
    player of the arena. Raises ValueError if `players` or the settings are invalid.
    """
    chosen = read_game(game) | settings
    rules = dict(chosen)
    called = GAMES[rules.pop("name")].model_validate(rules).seats()
    words = list_seats(players, len(called) or USUAL_SEATS)
    listed = [word.removesuffix(POLICY) + OUTSIDE if is_policy(word) else word for word in words]
    seats = read_players(",".join(listed), called)
    config = GameEngineConfig(game=chosen, player_configs=seats, logs_dir=logs_dir)
    pairs = zip(config.player_ids, words, strict=True)
    trained = [player_id for player_id, word in pairs if is_policy(word)]
    if not trained:
        raise ValueError(
            f"expected a seat that a policy plays, such as policy,scripted:NAME: got {players!r}"
        )
    return config, trained


def list_seats(players: Players, usual: int) -> list[str]:
    """Return a list of seats as words, such as "policy"; None means `usual` policies."""
    if players is None:
        players = usual
    if isinstance(players, int):
        return [POLICY] * players
    listed = players.split(",") if isinstance(players, str) else players
    return [word for word in map(str.strip, listed) if word]


def is_policy(word: str) -> bool:
    """Return whether a seat's word, which may include a name, means a policy."""
    _, _, seat = word.rpartition("=")
    return seat.strip() == POLICY
