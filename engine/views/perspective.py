"""Views of a game: the part of its record that one player or the public saw, or all of it.

A view is named by a string: "" for the public view, "*" for the omniscient one, or a player's id.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.history import Event, History, Outcome, PlayerUsage, RoundLog, Seat
from engine.report.charts import Chart
from engine.report.tables import Facts, Part
from engine.report.turning_points import TurningPoint
from engine.spending.validity import void_seats
from engine.views.naming import LONGEST_TITLE, result_in, short, usual_result, usual_title

EVERYTHING = "*"
PUBLIC = ""
OVER = "finished"
# A config's settings for individual seats, and a game's settings for individual players.
OF_SEATS = ("player_configs", "handovers")
OF_PLAYERS = ("names", "participants")
# The setting and the event kind for questions after the end, which are only for the log. A player
# that knew of the setting might play differently.
OF_THE_END = ("debrief",)
# Kinds of events that are only for the log.
FOR_THE_LOG = (*OF_THE_END, "probe", "flag")


class OwnViews(Protocol):
    """A game's additions to the views of its logs; every `Game` implements them."""

    def title(self, history: History) -> str:
        """Return a game's title."""

    def result(self, outcome: Outcome) -> str:
        """Return how a game ended, in a few words."""

    def report(self, history: History) -> Iterable[Part]:
        """Return the game's own report; raise ValueError for an unreadable history."""

    def turning_points(self, history: History) -> Iterable[TurningPoint]:
        """Return the game's turning points; raise ValueError for an unreadable history."""

    def charts(self, history: History) -> Mapping[str, Chart]:
        """Return the game's charts by name; raise ValueError for an unreadable history."""

    def facts_of(self, event: Event) -> Mapping[str, Any]:
        """Return the facts in an event's text."""

    def explain(self, event: Event) -> Iterable[Part]:
        """Return the game's own numbers behind an event."""


def _ignore(_: str) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Shown:
    """How much of a game to show: the view, and additions to the events.

    `game` is None for an unknown game. `leave_out` receives a sentence if something is left out
    because the game cannot read its own log.
    """

    view: str = EVERYTHING
    prompts: bool = False
    reasoning: bool = False
    game: OwnViews | None = None
    explain: bool = False
    leave_out: Callable[[str], object] = _ignore

    @property
    def player_id(self) -> str | None:
        """The view's player, or None for the public and the omniscient view."""
        return None if self.view in (EVERYTHING, PUBLIC) else self.view

    def part_of(self, history: History) -> History:
        """Return the part of a game that the view shows; raise ValueError for an unknown player."""
        return history_in(history, self.view)

    def title_of(self, seen: History) -> str:
        """Return a game's title, from the part of it that the view shows."""
        title = self.game.title(seen) if self.game else usual_title(seen)
        return short(title, LONGEST_TITLE)

    def result_of(self, seen: History) -> str:
        """Return how a game ended, or "" while it is being played."""
        return result_in(seen, self.game.result if self.game else usual_result)

    @property
    def _own(self) -> OwnViews | None:
        """The game's additions in the omniscient view, or None in other views."""
        return self.game if self.view == EVERYTHING else None

    def report_of(self, history: History) -> list[Part]:
        """Return the game's own report and its turning points."""
        points = [
            (turn.label, f"{turn.text} (event {turn.event})") for turn in self.turns_of(history)
        ]
        turned = [Facts("Turning points", tuple(points))] if points else []
        try:
            return [*self._own.report(history), *turned] if self._own else []
        except ValueError as error:
            # The events can still be shown.
            self.leave_out(f"the game's own report is left out: {error}")
            return []

    def turns_of(self, history: History) -> list[TurningPoint]:
        """Return a finished game's turning points, or [] if the game cannot read its log."""
        if self._own is None or history.outcome is None:
            return []
        with suppress(ValueError):  # the report says that the log cannot be read
            return [*self._own.turning_points(history)]
        return []

    def charts_of(self, history: History) -> Mapping[str, Chart]:
        """Return the game's charts."""
        try:
            return self._own.charts(history) if self._own else {}
        except ValueError as error:
            self.leave_out(f"the game's pictures are left out: {error}")
            return {}

    def numbers_of(self, event: Event) -> list[Part]:
        """Return the game's own numbers behind an event, if `explain` requests them."""
        return [*self._own.explain(event)] if self._own and self.explain else []


# All of a game except prompts and reasoning.
WHOLE = Shown()


def event_in(event: Event, view: str, player_ids: Sequence[str] = ()) -> Event | None:
    """Return `event` as a view shows it, or None if the view does not show it."""
    if view == EVERYTHING:
        return event
    if not is_in(event, view, player_ids):
        return None
    if event.player_id == view:
        return replace(event, data={})
    return replace(
        event, data={}, prompt=None, reasoning="", usage=None, attempts=(), fell_back=False
    )


def is_in(event: Event, view: str, player_ids: Sequence[str]) -> bool:
    """Return whether a view shows an event; the public view shows events that all players see."""
    if view == EVERYTHING:
        return True
    if view == PUBLIC:
        return {*player_ids}.issubset(event.visibility)
    return view in event.visibility


class ViewEvents:
    """A view's events, with their numbers in that view.

    The omniscient view uses the log's indices. Every other view counts its own events from 0 and
    dates each to the beginning of the game, so neither gaps nor times reveal hidden events.
    `logged` contains the view's events as they are in the log.
    """

    def __init__(self, view: str, player_ids: Sequence[str]) -> None:
        self.view = view
        self.player_ids = player_ids
        self.indices: list[int] = []
        self.logged: list[Event] = []
        self._began = ""

    def __len__(self) -> int:
        return len(self.logged)

    def add(self, event: Event) -> bool:
        """Add the next event of the log; return whether the view shows it."""
        self._began = self._began or event.timestamp
        is_seen = is_in(event, self.view, self.player_ids)
        if is_seen:
            self.indices.append(event.index)
            self.logged.append(event)
        return is_seen

    def number(self, place: int) -> int:
        """Return the number of the event at index `place`, or -1 before the first event."""
        return self.indices[place] if self.view == EVERYTHING and place >= 0 else place

    def place_behind(self, number: int) -> int:
        """Return the index of the first event after event `number`."""
        if self.view == EVERYTHING:
            return bisect_right(self.indices, number)
        return min(number + 1, len(self))

    def event(self, place: int) -> Event:
        """Return the event at index `place` as the view shows it."""
        seen = event_in(self.logged[place], self.view, self.player_ids)
        assert seen is not None
        if self.view == EVERYTHING:
            return seen
        asked = seen.prompt
        if asked is not None:
            asked = replace(asked, upto=bisect_left(self.indices, asked.upto), number=0)
        return replace(seen, index=place, timestamp=self._began, prompt=asked)

    def place_of(self, number: int) -> int | None:
        """Return the index of event `number`, or None if the view does not contain it."""
        place = self.place_behind(number) - 1
        return place if place >= 0 and self.number(place) == number else None


def events_of(history: History, view: str) -> ViewEvents:
    """Return a game's events that a view shows."""
    view_events = ViewEvents(view, history.player_ids)
    for event in history.events:
        view_events.add(event)
    return view_events


def without_debriefs(history: History, player_id: str) -> History:
    """Return `history` without events meant only for the log, except the player's own debrief."""

    def is_shown(event: Event) -> bool:
        return event.kind not in FOR_THE_LOG or player_id in event.visibility

    rounds = [replace(log, events=[*filter(is_shown, log.events)]) for log in history.rounds]
    return replace(history, rounds=rounds)


def history_in(history: History, view: str) -> History:
    """Return `history` as a view shows it; raise ValueError for the view of an unknown player.

    Except in the omniscient view, the seed is 0 until the game is over.
    """
    if view == EVERYTHING:
        return history
    player_ids = history.player_ids
    if view != PUBLIC and view not in player_ids:
        known = ", ".join(player_ids)
        raise ValueError(f"expected one of the players {known}: {view!r}")
    seats = [
        seat if seat.player_id == view else Seat(seat.player_id, "", "") for seat in history.players
    ]
    # Before the end, the seed would reveal the other players' deals.
    seed = history.seed if history.status == OVER else 0
    return replace(
        history,
        seed=seed,
        # The reason may contain another seat's model, address or spending.
        reason="",
        players=seats,
        config=_public_config(history),
        rounds=_rounds_in(history, ViewEvents(view, player_ids)),
        usage=_usage_in(history, view),
    )


def _rounds_in(history: History, view_events: ViewEvents) -> list[RoundLog]:
    rounds = []
    for log in history.rounds:
        first = len(view_events)
        for event in log.events:
            view_events.add(event)
        events = [view_events.event(place) for place in range(first, len(view_events))]
        rounds.append(replace(log, events=events))
    return rounds


def _usage_in(history: History, view: str) -> dict[str, PlayerUsage]:
    """Return the usage of the view's player, and the question and fallback counts of void seats."""
    void = {seat.player_id: seat for seat in void_seats(history)}
    usage = {}
    for player_id, used in history.usage.items():
        if player_id == view:
            usage[player_id] = used
        elif player_id in void:
            asked = void[player_id].asked
            usage[player_id] = PlayerUsage(asks=asked, fallbacks=asked - void[player_id].answered)
    return usage


def _public_config(history: History) -> dict[str, object]:
    """Return the config without players' settings or, before the end, the seed and `debrief`."""
    config = {name: held for name, held in history.config.items() if name not in OF_SEATS}
    kept_back = {*OF_PLAYERS}
    if history.status != OVER:
        config.pop("seed", None)
        kept_back |= {*OF_THE_END}
    game = config.get("game")
    if isinstance(game, dict):
        config["game"] = {name: held for name, held in game.items() if name not in kept_back}
    return config
