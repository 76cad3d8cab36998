"""Play the casts by which talks were calibrated, at every depth.

`uv run benchmarks/talks.py` plays five casts of scripts, 200 seeds each. Steps, circles and move
noise were set on other seeds (1000 to 1199).
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, main, row
from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.talks.archetypes import (
    CAST,
    DEPTHS,
    Gender,
    PersonalityArchetype,
    Role,
    first_of_cast,
)
from engine.history import Event, History
from player import PlayerConfig

TOPICS = (
    "What is love?",
    "What is consciousness?",
    "Should AI systems have rights?",
    "The ethics of war",
)
REASONS = ("repetitive", "consensus", "convergence", "max_reached")
ENDS = {"min_convergence": 0.75, "depth_threshold": 0.8}


def cast_of(**counts: int) -> tuple[Role, ...]:
    """Return a cast of so many participants of each personality."""
    roles: list[Role] = []
    for kind, count in counts.items():
        personality = PersonalityArchetype(kind)
        for number in range(count):
            name = f"{kind.capitalize()} {number + 1}"
            roles.append(Role(name, Gender.NON_BINARY, personality, CAST[len(roles)].expertise))
    return tuple(roles)


CASTS: dict[str, tuple[tuple[Role, ...], dict[str, Any]]] = {
    "default 5": (first_of_cast(5), {}),
    "default 2": (first_of_cast(2), {}),
    "supportive": (cast_of(collaborative=3, cautious=1, creative=1), {}),
    "adversarial": (cast_of(skeptical=3, assertive=2), {}),
    "panel": (cast_of(analytical=1, assertive=1, cautious=1, creative=1), {"termination": ENDS}),
}


@dataclass(frozen=True, slots=True)
class Talk:
    """A finished talk."""

    history: History

    def events(self, kind: str) -> list[Event]:
        """Return the events of a kind."""
        return [event for event in self.history.events if event.kind == kind]

    @property
    def reason(self) -> str:
        """Why it stopped."""
        return str(self.events("stop")[0].data["reason"])

    @property
    def last_check(self) -> dict[str, Any]:
        """The data of its last check."""
        return self.events("check")[-1].data

    def answers(self) -> list[bool]:
        """Return of each addressed exchange whether its addressee speaks next."""
        said = self.events("utterance")
        pairs = [(one.data["target"], after.data["speaker"]) for one, after in pairwise(said)]
        return [target == speaker for target, speaker in pairs if target]


def talk_of(roles: Sequence[Role], depth: int, seed: int, more: dict[str, Any]) -> GameEngine:
    """Return a talk between scripts, not yet started; `more` are settings of the game."""
    participants = [role._asdict() for role in roles]
    topic = TOPICS[seed % len(TOPICS)]
    settings = {"name": "talks", "topic": topic, "depth": depth, "participants": participants}
    seats = [
        PlayerConfig(player_id=role.name, provider="scripted", model="in_character")
        for role in roles
    ]
    game = settings | more
    return GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None, game=game, seed=seed))


def shares(talks: Sequence[Talk]) -> str:
    """Return the share of each reason to stop, in %."""
    ends = Counter(talk.reason for talk in talks)
    return "/".join(f"{100 * ends[reason] / len(talks):.0f}" for reason in REASONS)


def calibration(short: bool) -> Iterator[Row]:
    """Play every cast at every depth."""
    seeds = 5 if short else 200
    levels: dict[str, list[float]] = {name: [] for name in CASTS}
    circles: list[bool] = []
    for depth in DEPTHS:
        played = {}
        for name, (roles, more) in CASTS.items():
            engines = [talk_of(roles, depth, seed, more) for seed in range(seeds)]
            played[name] = [Talk(engine.run()) for engine in engines]
            if depth >= 3:
                levels[name] += [talk.last_check["convergence"] for talk in played[name]]
        yield from depth_rows(depth, played)
        for talk in (talk for talks in played.values() for talk in talks):
            if talk.reason == "repetitive":
                chosen = [event.data for event in talk.events("selection")]
                circles.append(any(data.get("stale", False) for data in chosen))
    yield row(
        "stops by circles without a warning", circles.count(False), "", f"{len(circles)} stops"
    )
    for name, reached in levels.items():
        value = f"{median(reached):.2f} ({max(reached):.2f})"
        yield row("convergence, median (highest)", value, "", f"{name}, depths 3 to 5")


def depth_rows(depth: int, played: dict[str, list[Talk]]) -> Iterator[Row]:
    """Yield how the talks of a depth went and ended."""
    every = [talk for talks in played.values() for talk in talks]
    basis = f"depth {depth}, {len(every)} talks"
    yield row("stops by circles/consensus/convergence/cap", shares(every), "%", basis)
    yield row(
        "exchanges of a talk", fmean(len(talk.events("utterance")) for talk in every), "", basis
    )
    fives = played["default 5"]
    together = 100 * fmean(bool(talk.last_check["coalitions"]) for talk in fives)
    yield row("talks with a coalition", together, "%", f"depth {depth}, default 5")
    answers = [answer for talk in fives for answer in talk.answers()]
    what = "addressed participants who speak next"
    yield row(what, 100 * fmean(answers), "%", f"depth {depth}, default 5; chance 25")


if __name__ == "__main__":
    main(str(__doc__), {"calibration": calibration})
