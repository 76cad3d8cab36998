"""Any OpenSpiel game: the engine asks players and logs moves; OpenSpiel applies the rules."""

import random
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from engine.game import Game
from engine.games.openspiel import library
from engine.games.openspiel.checker import spiel_breaches
from engine.games.openspiel.library import Rules, read_word
from engine.games.openspiel.position import (
    SpielPosition,
    after_actions,
    grid_seen,
    movers,
    moves_by_words,
    open_position,
    sight_of,
)
from engine.games.openspiel.record import (
    ChanceOutcomes,
    PlayedMove,
    Returns,
    Sight,
    SpielOpening,
    facts_of_game,
    outcome_by_returns,
)
from engine.games.openspiel.strategies import NUMBERED, REFUSALS, STRATEGIES
from engine.games.openspiel.strategies.question import (
    ChosenMove,
    example_move,
    question_of,
    without_list,
)
from engine.games.openspiel.telling import (
    Context,
    Moves,
    play_chance,
    record_move,
    tell_opening,
    tell_result,
)
from engine.history import Event, History
from engine.history.legality import report_legality
from engine.prompting import PEOPLE, PROMPTS
from engine.report.tables import Table
from engine.round import RoundPlan
from player import Prompt, Reply, Turn
from protocol.seats import split_number

USUAL_TABLE = 5
MOST_SIMULATIONS = 1_000_000
PATIENCE = 20
# A wrong parameter can crash a process or exhaust its memory, so another process tries it first.
TRIAL = """
import contextlib, random, resource, sys
import pyspiel
with contextlib.suppress(OSError, ValueError):
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
draws = random.Random(0)
game = pyspiel.load_game(sys.argv[1])
state = game.new_initial_state()
for _ in range(300):
    if state.is_terminal():
        break
    if state.is_simultaneous_node():
        legal = [state.legal_actions(player) or [0] for player in range(game.num_players())]
        state.apply_actions([draws.choice(actions) for actions in legal])
    else:
        state.apply_action(draws.choice(state.legal_actions()))
"""


class OpenSpielGame(Game[SpielPosition]):
    """Any OpenSpiel game, such as chess, hanabi or leduc_poker; --list-games lists them."""

    name = "openspiel"
    version = 2
    basic = ("game",)
    strategies = STRATEGIES
    numbered: ClassVar[Collection[str]] = NUMBERED
    payloads: ClassVar[Mapping[str, Any]] = {
        "narration": SpielOpening,
        "chance": ChanceOutcomes,
        "setup": Sight,
        "move": PlayedMove,
        "forced": PlayedMove,
        "result": Returns,
    }
    variant = "game"
    most_from_web: ClassVar[Mapping[str, int]] = {"simulations": 10_000}
    watched = ("chance",)
    breaches: ClassVar = staticmethod(spiel_breaches)
    outcome: ClassVar = staticmethod(outcome_by_returns)
    report: ClassVar = staticmethod(report_legality)
    facts_of: ClassVar = staticmethod(facts_of_game)
    # Cached, so that short games need not render the rules again.
    rules: ClassVar = lru_cache(maxsize=64)(Game.rules)

    game: str = Field(
        default="kuhn_poker",
        max_length=1000,
        description="an OpenSpiel game, optionally with parameters: go(board_size=9)",
    )
    simulations: int = Field(
        default=1000,
        ge=1,
        le=MOST_SIMULATIONS,
        description="the budget of scripted:mcts and scripted:ismcts: simulations per move",
    )

    moves: Literal["listed", "unlisted"] = Field(
        default="listed",
        description="unlisted: models are not shown the legal moves; an illegal one is asked again",
    )

    @field_validator("game")
    @classmethod
    def _check_game(cls, word: str) -> str:
        wanted = read_word(word)
        if wanted.given:
            try_out(word)
        return word.strip()

    @property
    def kind(self) -> str:
        """OpenSpiel's name for the game, without parameters."""
        return read_word(self.game).name

    @property
    def long_name(self) -> str:
        """The game's name in words."""
        return str(read_word(self.game).kind.long_name)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters of the game, with defaults."""
        return dict(self.example().game.get_parameters())

    def description(self, players: int) -> Mapping[str, str]:
        """Return OpenSpiel's facts about the game for `players` players (0 means the default)."""
        return library.facts_of_rules(self.example(players))

    def example(self, players: int = 0) -> Rules:
        """Load the game for `players` players (0 means the default), to look up facts only."""
        return library.example_of(self.game, players)

    @property
    def unlisted(self) -> bool:
        """Whether models play without a list of legal moves and retry after illegal moves."""
        return self.moves == "unlisted"

    def seats(self) -> tuple[str, ...]:
        """Return "Player 0", "Player 1", ... if five players cannot play the game, else ()."""
        wanted = read_word(self.game)
        most = wanted.most
        if "players" not in wanted.kind.parameter_specification or wanted.given:
            most = self.example().players
        if wanted.least <= USUAL_TABLE <= most:
            return ()
        return tuple(f"Player {number}" for number in range(most))

    def start(self, player_ids: Sequence[str], rng: random.Random) -> SpielPosition:
        """Load the game anew with a seed, since some games draw their own chance moves."""
        wanted = read_word(self.game)
        rules = library.load(wanted, len(player_ids), rng.randrange(library.MOST_SEED))
        return open_position(rules, player_ids)

    def plan(self, state: SpielPosition) -> RoundPlan[SpielPosition] | None:
        """Plan a round of one move per player, in turn or all at once.

        A game with hidden information is a single round, since the number of rounds would reveal
        hidden moves.
        """
        if not state.state.move_number():
            return RoundPlan((self.phase_opening, self.phase_moves), state.player_ids)
        if state.is_over:
            return None
        return RoundPlan((self.phase_moves,), state.player_ids, goes_on=not state.rules.is_open)

    async def phase_opening(self, context: Context) -> None:
        """Announce the roles, draw the first chance moves, and show players their hands."""
        tell_opening(context, self.long_name, own_rules=has_template(self.kind))

    async def phase_moves(self, context: Context) -> None:
        """Play a joint move, or one decision for each player; announce any result."""
        decisions = 1 if context.state.at_once else len(context.state.player_ids)
        # If several turns share a round, each has its own random stream.
        turn = () if context.state.rules.is_open else (context.state.state.move_number(),)
        draws = cache(partial(context.rng, "chance", *turn))
        for _ in range(decisions):
            if context.state.is_over:
                break
            await self.play_decision(context, draws)
        if context.state.is_over:
            tell_result(context)

    async def play_decision(self, context: Context, draws: Callable[[], random.Random]) -> None:
        """Ask the players to move, apply the moves, and then draw chance moves with `draws`."""
        position = context.state
        moves = {player: moves_by_words(position, player) for player in movers(position)}
        replies = await self.ask_moves(context, moves)
        actions = {}
        for player, legal in moves.items():
            if legal:
                actions[player] = record_move(context, player, legal, replies.get(player))
        later = after_actions(position, actions)
        # The new state may still change, since nothing else refers to it yet.
        play_chance(context, later.rules, later.state, draws)
        context.state = later

    async def ask_moves(
        self,
        context: Context,
        moves: Mapping[int, Moves],
    ) -> dict[int, Reply[ChosenMove]]:
        """Ask all players with a choice concurrently; return the replies by player number."""
        turns = {
            player: self.ask_move(context, player, legal)
            for player, legal in moves.items()
            if len(legal) > 1
        }
        replies = await context.ask_all([*turns.values()]) if turns else []
        return dict(zip(turns, replies, strict=True))

    def ask_move(self, context: Context, player: int, moves: Moves) -> Turn[ChosenMove]:
        """Return the question for one player's move."""
        position = context.state
        player_id = position.player_ids[player]
        words = tuple(moves)
        guesses = self.guesses_for(context, player)
        turn = Turn(
            player_id=player_id,
            kind="move",
            observation=question_of(position, player, moves, self.simulations, guesses),
            prompt=partial(self.write_question, context, position, player, words),
            answer=ChosenMove,
            choices={"move": words},
            fallback=ChosenMove(move=words[0]),
            grid=partial(grid_seen, position, player, moves),
        )
        if not self.unlisted:
            return turn
        draws = context.rng("instead", player, position.state.move_number())
        return without_list(turn, position, draws)

    def guesses_for(self, context: Context, player: int) -> random.Random | None:
        """Return a random stream if a script in this seat guesses hidden information, else None."""
        position = context.state
        model = context.seated(position.player_ids[player]).model
        if split_number(model)[0] != "ismcts":
            return None
        return context.rng("guesses", player, position.state.move_number())

    def write_question(
        self,
        context: Context,
        position: SpielPosition,
        player: int,
        words: Sequence[str],
    ) -> Prompt:
        """Return the prompt for a move, with the player's view and any list of legal moves."""
        player_id = position.player_ids[player]
        # People always choose from the list of legal moves.
        listed = not self.unlisted or context.seated(player_id).reader == PEOPLE
        return context.prompt(
            player_id,
            "openspiel/move.j2",
            sight=sight_of(position, player),
            at_once=position.at_once,
            moves=words if listed else (),
            example="" if listed else example_move(self.game, position.rules.players, player),
        )

    def persona(self, state: SpielPosition, player_id: str) -> str:
        """Return a player's name and its number in OpenSpiel."""
        return f"You are {player_id}, player {state.number_of(player_id)}."

    def rule_templates(self) -> tuple[str, ...]:
        """Return the rule templates of all games, and the template of this OpenSpiel game."""
        return (*super().rule_templates(), f"openspiel/{self.kind}.j2")

    def refuses(self, strategy: str) -> str:
        """Return why a script cannot play the game, or "" if it can."""
        name, number = split_number(strategy)
        if number > MOST_SIMULATIONS:
            return f"expected {name}-N with N of at most {MOST_SIMULATIONS:,}: got {number:,}"
        return REFUSALS[name](self.example()) if name in REFUSALS else ""

    @classmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield the event of each move that a player chose, with the answer's fields."""
        for event in history.events:
            if event.kind == "move":
                why = event.data.get("rationale", "")
                yield event, {"move": event.data["words"], "rationale": why}

    @classmethod
    def variants(cls) -> Table:
        """Return a table of all games that can be played by name, with facts about each."""
        rows = []
        for name in library.playable():
            wanted = read_word(name)
            players = library.count_players(wanted.least, wanted.most).removesuffix(" players")
            kind = ", ".join(library.traits_of(wanted.kind))
            source = "own words" if has_template(name) else "OpenSpiel's"
            rows.append((name, players.removesuffix(" player"), kind, source))
        columns = ("game", "players", "kind", "rules")
        return Table("Games of OpenSpiel, as openspiel:GAME", columns, tuple(rows))


@cache
def has_template(name: str) -> bool:
    """Return whether this project has its own rules text for an OpenSpiel game."""
    return (PROMPTS / "openspiel" / f"{name}.j2").is_file()


@cache
def try_out(word: str) -> None:
    """Load and play a game with parameters in another process; raise ValueError if that fails."""
    command = [sys.executable, "-c", TRIAL, word]
    try:
        # The word is only an argument of our own program, which passes it to OpenSpiel.
        subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise ValueError(
            f"expected parameters that OpenSpiel can play: {word!r:.80} takes over {PATIENCE} s"
        ) from None
    except subprocess.CalledProcessError as error:
        why = last_words(error) if error.returncode == 1 else "OpenSpiel ends the process"
        raise ValueError(
            f"expected parameters that OpenSpiel can play: got {word!r:.80}: {why:.200}"
        ) from None


def last_words(error: subprocess.CalledProcessError) -> str:
    """Return a failed process's error: OpenSpiel's own message, or else the last line."""
    message: str = error.stderr.decode(errors="replace")
    _, marked, sentence = message.partition("OpenSpiel exception:")
    lines = [line.strip() for line in (sentence or message).splitlines() if line.strip()]
    if not lines:
        return "OpenSpiel gives no reason"
    return lines[0] if marked else lines[-1]
