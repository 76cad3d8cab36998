"""The interface between a game and the engine: its settings, start, rounds and outcome."""

import random
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from engine.history import Event, History, Lines, Outcome
from engine.prompting import render
from engine.report.averages import Averages, Figures
from engine.report.charts import Chart
from engine.report.tables import Glance, Part, Table
from engine.report.turning_points import TurningPoint
from engine.round import REASONS, SMALL_REASONS, RoundPlan
from engine.views.naming import game_settings, usual_result, usual_title
from player import Script, Scripts

S = TypeVar("S")


class Game(BaseModel, Generic[S]):
    """A game's settings as a frozen Pydantic model, with pure methods that take a frozen state.

    - `name`: the name of the game in configs and of its folders in `engine/games/` and `prompts/`.
    - `version`: a number that increases with each change to the rules or their wording.
    - `lines`: the format of an event in a transcript; see `engine.history.transcript_line`.
    - `strategies`: the scripted players, by name; `aliases`: their other names.
    - `numbered`: the scripts that take a number after a dash, such as mcts-64.
    - `payloads`: the dataclasses of event data, by kind of event.
    - `rotates`: whether the seats differ; if so, a series of games rotates the players.
    - `targets`, `direction`: the results that a tournament rates by default, as in
      `engine.ratings.fit`. A game without targets has no winner and is not rated.
    - `variant`: the setting, if any, that follows the colon in a name such as "openspiel:chess".
    - `basic`: the settings shown first in the new-game form; the rest are under "advanced".
    - `most_from_web`: the highest value allowed for each setting in a config from the web.
    - `watched`: the kinds of events that spectators see but players do not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    version: ClassVar[int]
    lines: ClassVar[Lines] = "round"
    strategies: ClassVar[Scripts]
    aliases: ClassVar[Mapping[str, str]] = {}
    numbered: ClassVar[Collection[str]] = ()
    payloads: ClassVar[Mapping[str, Any]] = {}
    rotates: ClassVar[bool] = True
    targets: ClassVar[tuple[str, ...]] = ("points", "places")
    direction: ClassVar[str] = "top"
    variant: ClassVar[str] = ""
    basic: ClassVar[tuple[str, ...]] = ()
    most_from_web: ClassVar[Mapping[str, int]] = {}
    watched: ClassVar[Collection[str]] = ()

    reasons: int = Field(
        default=REASONS,
        ge=60,
        le=1000,
        description=f"maximum characters of a reason; for a small model {SMALL_REASONS}",
    )

    @abstractmethod
    def start(self, player_ids: Sequence[str], rng: random.Random) -> S:
        """Return the initial state; raise ValueError for an invalid setting or player."""

    def seats(self) -> tuple[str, ...]:
        """Return the player names that the settings require, or () if any names are allowed."""
        return ()

    @property
    def unlisted(self) -> bool:
        """Whether models never see the legal answers, and are asked again after an illegal one."""
        return False

    def refuses(self, strategy: str) -> str:
        """Return why a scripted player cannot play with these settings, or "" if it can."""
        del strategy
        return ""

    @abstractmethod
    def plan(self, state: S) -> RoundPlan[S] | None:
        """Return the next round, or None when the game is over."""

    @abstractmethod
    def outcome(self, state: S, /) -> Outcome:
        """Return how the game ended."""

    @classmethod
    @abstractmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield every event that records an answer, with the answer's fields.

        Each seat's answers come in the order of its questions. A log check replays the game with
        these answers, using the fallback answer for events whose `fell_back` is set. An event with
        several players' answers is yielded once per player, as `replace(event, player_id=...)`.
        """

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return a script that plays the policy in file `path`; raise ValueError if none can."""
        raise ValueError(
            f"expected a game that policies are trained for: got {cls.name}, "
            f"and a seat trained:{path}"
        )

    def rules(self, *, reader: str = "", players: int = 0, wording: int = 1) -> str:
        """Return the rules as players read them.

        `reader` and `wording` are as in `engine.prompting.render`; `players` is 0 if unknown.
        """
        return render(
            f"{self.name}/rules.j2", reader=reader, wording=wording, game=self, players=players
        )

    def rule_templates(self) -> tuple[str, ...]:
        """Return the templates that every wording of the rules must include."""
        return (f"{self.name}/rules.j2",)

    def persona(self, state: S, player_id: str) -> str:
        """Return the persona for a player's system text, or "" if the player has only a name."""
        del state, player_id
        return ""

    @classmethod
    def variants(cls) -> Table:
        """Return the values of the setting that `variant` names, one per row, for --list-games."""
        return Table("", (), ())

    @classmethod
    def breaches(cls, history: History) -> Iterable[str]:
        """Yield faults in a log that the game's rules library can find but a replay cannot."""
        del history
        return ()

    @classmethod
    def title(cls, history: History) -> str:
        """Return a title that names the kind of game and its players, even before the first round.

        `history` may be a view that hides the models.
        """
        return usual_title(history, str(game_settings(history).get(cls.variant, "")))

    @classmethod
    def result(cls, outcome: Outcome) -> str:
        """Return a short description of how a game ended."""
        return usual_result(outcome)

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield the parts of a report above the scores; raise ValueError for an invalid history."""
        del history
        yield from ()

    @classmethod
    def turning_points(cls, history: History) -> Iterator[TurningPoint]:
        """Yield the events at which a game turned; raise ValueError for an invalid history."""
        del history
        yield from ()

    @classmethod
    def batch_figures(cls, history: History) -> Figures:
        """Return a finished game's figures for comparing games; they do not include the scores."""
        del history
        return Figures()

    @classmethod
    def batch_report(cls, history: History, averages: Averages) -> Iterator[Part]:
        """Yield the parts of a batch report that precede the places and scores.

        `history` is one of the batch's games; `averages` are the means of `batch_figures` over all
        games that the report includes.
        """
        del history, averages
        yield from ()

    @classmethod
    def batch_command(cls, history: History) -> str:
        """Return a command (without "uv run") that shows more than a batch report, or ""."""
        del history
        return ""

    @classmethod
    def explain(cls, event: Event) -> Iterator[Part]:
        """Yield the numbers behind an event; no player sees them."""
        del event
        yield from ()

    @classmethod
    def glance(cls, history: History) -> Glance | None:
        """Return a live summary of a view of a game, or None if the game offers none."""
        del history
        return None

    @classmethod
    def facts_of(cls, event: Event) -> Mapping[str, Any]:
        """Return the facts in an event's text as plain data, for drawing pictures.

        Every viewer of the event receives its facts, but not its data. Numbers and player names
        must occur in the event's heading or content; only the name of the event's own player need
        not. Other text may instead occur in an earlier event that all players see. `grid` is the
        board as a library shows it to each reader. Facts are never Booleans.
        """
        del event
        return {}

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return the game's charts by name; raise ValueError for an invalid history."""
        del history
        return {}


def breach_at(event: Event, expected: str) -> str:
    """Return the sentence that reports a breach at one event."""
    return f"event {event.index}: expected {expected}"


def outcome_breaches(history: History, due: Outcome) -> Iterator[str]:
    """Yield a fault if a log's outcome is not `due`."""
    if history.outcome != due:
        yield f"outcome: expected {due}: got {history.outcome}"


def opening_breaches(history: History, player_ids: Sequence[str], line: str) -> Iterator[str]:
    """Yield faults if a log's players are not `player_ids`, or its first line is not `line`."""
    first = history.rounds[0].events[0]
    seats = history.player_ids
    if [*player_ids] != seats:
        yield breach_at(first, f"the players {seats}: got {[*player_ids]}")
    if first.content != line:
        yield breach_at(first, f"{line!r}: got {first.content!r:.200}")
