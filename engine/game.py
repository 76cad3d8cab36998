"""The interface of a game to the engine: its settings, its start, its rounds, and how it ended."""

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
    """A game: a frozen model of its settings; all else is a pure function of a frozen state.

    - `name`: its name in configs, and its folder in `engine/games/` and `prompts/`.
    - `version`: counts changes of its rules and of their wording.
    - `lines`: the form of an event in a transcript, see `engine.history.transcript_line`.
    - `strategies`: the scripted players, by name; `aliases`: other names that find them.
    - `numbered`: the scripts that take a number behind a dash, such as mcts-64.
    - `payloads`: the dataclasses of its events' data, by kind of event, as the schema lists them.
    - `rotates`: whether it matters who sits where, so that many games move the players round.
    - `targets`, `direction`: what a tournament rates by default, as in `engine.ratings.fit`; a game
      without targets has no winner and is not rated.
    - `variant`: the setting that a word such as "openspiel:chess" sets behind its colon, if any.
    - `basic`: the settings that the form of a new game shows first; the others fold as advanced.
    - `most_from_web`: by setting the most that a config from the web may ask for.
    - `watched`: the kinds of events that who watches a game is shown though no player sees them.
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
        description=f"characters of a reason at most; a small model has {SMALL_REASONS}",
    )

    @abstractmethod
    def start(self, player_ids: Sequence[str], rng: random.Random) -> S:
        """Return the first state; ValueError says which setting or player cannot be.

        No model has been asked anything yet.
        """

    def seats(self) -> tuple[str, ...]:
        """Return the names of the players that the settings call for; empty: any may play."""
        return ()

    @property
    def unlisted(self) -> bool:
        """Whether models are not shown the legal answers, and illegal ones are asked for again."""
        return False

    def refuses(self, strategy: str) -> str:
        """Return why a scripted player cannot play under these settings, "" if it can."""
        del strategy
        return ""

    @abstractmethod
    def plan(self, state: S) -> RoundPlan[S] | None:
        """Return the next round, None when the game is over."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome:
        """Return how the game ended."""

    @classmethod
    @abstractmethod
    def answers_in(cls, history: History) -> Iterator[tuple[Event, Mapping[str, Any]]]:
        """Yield every event that records an answer, with the fields of that answer.

        Each seat's answers come in the order in which the seat was asked. A log is checked by
        playing it again with them: an answer whose event has `fell_back` is the fallback, and its
        fields are ignored. An event that records answers of several players is yielded once for
        each, as `replace(event, player_id=...)`.
        """

    @classmethod
    def trained(cls, path: str) -> Script:
        """Return the script that plays the policy in the file `path`; ValueError if none does."""
        raise ValueError(
            f"expected a game that policies are trained for: got {cls.name}, "
            f"and a seat trained:{path}"
        )

    def rules(self, *, reader: str = "", players: int = 0, wording: int = 1) -> str:
        """Return the rules as players read them.

        `reader` and `wording` are as `engine.prompting.render` takes them; `players` is their
        number, 0 if none is seated yet.
        """
        return render(
            f"{self.name}/rules.j2", reader=reader, wording=wording, game=self, players=players
        )

    def rule_templates(self) -> tuple[str, ...]:
        """Return the templates that every wording of the rules has to have."""
        return (f"{self.name}/rules.j2",)

    def persona(self, state: S, player_id: str) -> str:
        """Return who a player is in this game, for its system text; "" if it is only its name."""
        del state, player_id
        return ""

    @classmethod
    def variants(cls) -> Table:
        """Return the values of the setting `variant`, a row each, for --list-games."""
        return Table("", (), ())

    @classmethod
    def breaches(cls, history: History) -> Iterable[str]:
        """Yield faults of a log that a replay by its rules and answers cannot find.

        That is for games whose rules are a library's: it is asked again, without this game.
        """
        del history
        return ()

    @classmethod
    def title(cls, history: History) -> str:
        """Return a game's subject, for lists and headings; it may not have begun.

        `history` may be a view's: of a seat that hides its model only the name is there.
        """
        return usual_title(history, str(game_settings(history).get(cls.variant, "")))

    @classmethod
    def result(cls, outcome: Outcome) -> str:
        """Return in a few words how a game ended."""
        return usual_result(outcome)

    @classmethod
    def report(cls, history: History) -> Iterator[Part]:
        """Yield the game's own report at the end, before places and scores.

        ValueError if it cannot read the history.
        """
        del history
        yield from ()

    @classmethod
    def turning_points(cls, history: History) -> Iterator[TurningPoint]:
        """Yield the events at which a game turned; ValueError if it cannot read the history."""
        del history
        yield from ()

    @classmethod
    def batch_figures(cls, history: History) -> Figures:
        """Return the figures of a finished game that are compared over games, besides scores."""
        del history
        return Figures()

    @classmethod
    def batch_report(cls, history: History, averages: Averages) -> Iterator[Part]:
        """Yield the game's report on many games, before places and scores.

        `history` is one of them, `averages` those of `batch_figures` over all that count.
        """
        del history, averages
        yield from ()

    @classmethod
    def batch_command(cls, history: History) -> str:
        """Return the command that says more than many games like this one, without "uv run".

        "" if there is none.
        """
        del history
        return ""

    @classmethod
    def explain(cls, event: Event) -> Iterator[Part]:
        """Yield the game's own numbers behind an event, which no player sees."""
        del event
        yield from ()

    @classmethod
    def glance(cls, history: History) -> Glance | None:
        """Return the game at this moment, for its viewers; None if it has no such view.

        Of a player's part of `history` it says no more than that player may see.
        """
        del history
        return None

    @classmethod
    def facts_of(cls, event: Event) -> Mapping[str, Any]:
        """Return the facts in an event's text, as plain data: pictures are drawn from them.

        Every reader of the event gets them, but not its data. Each number and each player's name
        must occur in the event's heading or content, or be the event's player; other text may also
        occur in an earlier event that all players see. `grid` is the board that a library shows
        each reader. There are no flags. Empty if the text has no facts.
        """
        del event
        return {}

    @classmethod
    def charts(cls, history: History) -> Mapping[str, Chart]:
        """Return the game's pictures by name; ValueError if it cannot read the history."""
        del history
        return {}


def breach_at(event: Event, expected: str) -> str:
    """Return the sentence of a breach at one event."""
    return f"event {event.index}: expected {expected}"


def opening_breaches(history: History, player_ids: Sequence[str], line: str) -> Iterator[str]:
    """Yield the faults of a log's first event: it has to contain `line`, and all seats.

    `player_ids` are the players that its data has.
    """
    first = history.rounds[0].events[0]
    seats = [seat.player_id for seat in history.players]
    if [*player_ids] != seats:
        yield breach_at(first, f"the players {seats}: got {[*player_ids]}")
    if first.content != line:
        yield breach_at(first, f"{line!r}: got {first.content!r:.200}")
