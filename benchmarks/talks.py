"""Play the casts with which talks were calibrated, at every depth.

`uv run benchmarks/talks.py` plays five casts of scripts, with 200 seeds each. The constants for
steps, circles and move noise were calibrated on other seeds (1000 to 1199).
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.figures import Row, digits, main, none_of, row
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
from engine.games.talks.log.content import score_content
from engine.games.talks.memory.embeddings import default_embedder
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
    """Return a cast with these numbers of participants of each personality."""
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
        """Why the talk stopped."""
        return str(self.events("stop")[0].data["reason"])

    @property
    def last_check(self) -> dict[str, Any]:
        """The data of the talk's last check."""
        return self.events("check")[-1].data

    def answers(self, within: int = 1) -> list[bool]:
        """Return, per addressed turn, whether its addressee speaks in the next `within` turns."""
        said = [event.data for event in self.events("utterance")]
        answers = []
        for turn, one in enumerate(said[: len(said) - within], 1):
            speakers = [after["speaker"] for after in said[turn : turn + within]]
            if one["target"]:
                answers.append(one["target"] in speakers)
        return answers

    @property
    def after_conclusion(self) -> int | None:
        """The number of turns after the first CONCLUDE; None if there was none."""
        moves = [event.data["move"] for event in self.events("utterance")]
        return len(moves) - 1 - moves.index("CONCLUDE") if "CONCLUDE" in moves else None


def talk_of(
    roles: Sequence[Role],
    depth: int,
    seed: int,
    more: dict[str, Any],
    habit: str = "in_character",
) -> GameEngine:
    """Return a scripted talk, not yet started; `more` holds further settings of the game."""
    participants = [role._asdict() for role in roles]
    topic = TOPICS[seed % len(TOPICS)]
    settings = {"name": "talks", "topic": topic, "depth": depth, "participants": participants}
    seats = [PlayerConfig(player_id=role.name, provider="scripted", model=habit) for role in roles]
    game = settings | more
    return GameEngine(GameEngineConfig(player_configs=seats, logs_dir=None, game=game, seed=seed))


def shares(talks: Sequence[Talk]) -> str:
    """Return the percentages of talks that stopped for each reason, joined by slashes."""
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
    """Yield rows on how the talks at a depth went and ended."""
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


def stops(short: bool) -> Iterator[Row]:
    """Play 1,000 talks; measure how they end, and what follows a CONCLUDE."""
    talks = []
    for depth in DEPTHS:
        for roles, more in CASTS.values():
            for seed in range(3 if short else 40):
                talks.append(Talk(talk_of(roles, depth, 2000 + seed, more).run()))
    basis = f"{len(talks)} talks of five casts at all depths"
    for reason in REASONS:
        share = 100 * fmean(talk.reason == reason for talk in talks)
        low, high = (1, 10) if reason == "repetitive" else (5, 50)
        told = f"stops by {reason}"
        yield Row(told, digits(share), "%", basis, f"{low} to {high}", low <= share <= high)
    after = [talk.after_conclusion for talk in talks if talk.after_conclusion is not None]
    share = 100 * fmean(turns <= 1 for turns in after)
    yield row("talks with at most one turn after a CONCLUDE", share, "%", basis, least=80)
    yield row("talks with a CONCLUDE", 100 * len(after) / len(talks), "%", basis)


def answering(short: bool) -> Iterator[Row]:
    """Play talks of 3, 4, 5 and 10 people; check that addressees answer soon and that all speak."""
    seeds = range(10 if short else 200)
    for count in (3, 4, 5):
        roles = first_of_cast(count)
        talks = [Talk(talk_of(roles, 3, seed, {}).run()) for seed in seeds]
        basis = f"{count} people, depth 3, {len(talks)} talks"
        for within, what, least in ((1, "next", 70), (3, "within three turns", 97)):
            share = 100 * fmean(answer for talk in talks for answer in talk.answers(within))
            yield row(f"addressed participants who speak {what}", share, "%", basis, least=least)
    silent = []
    for seed in seeds:
        talk = Talk(talk_of(first_of_cast(10), 5, seed, {"max_iterations": 15}).run())
        speakers = {event.player_id for event in talk.events("utterance")}
        if len(talk.events("utterance")) == 15 and len(speakers) < 10:
            silent.append(f"seed {seed}: {len(speakers)} of 10 spoke")
    yield none_of("talks in which somebody is silent", silent, len(seeds), "10 people, 15 turns")


def parroting(short: bool) -> Iterator[Row]:
    """Play talks of up to 12 turns in which every second turn copies the one before it."""
    novelties, turns, scores = [], [], []
    for seed in range(3 if short else 50):
        game = talk_of(first_of_cast(2 + seed % 4), 2, seed, {"max_iterations": 12}, "parrot")
        talk = Talk(game.run())
        said = talk.events("utterance")
        novelties += [event.data["novelty"] for event in said[1::2]]
        turns.append(len(said) if talk.reason == "repetitive" else 99)
        topic = TOPICS[seed % len(TOPICS)]
        content = score_content(topic, [event.content for event in said], default_embedder())
        scores.append(content.score)
    basis = f"{len(turns)} talks of parrots, depth 2"
    yield row("novelty of a copy, highest", max(novelties), "", basis, most=0.2)
    yield row("turns until a talk goes in circles, most", max(turns), "", basis, most=8)
    yield row("content score, highest", max(scores), "of 100", basis, most=25)


if __name__ == "__main__":
    main(
        str(__doc__),
        {
            "calibration": calibration,
            "stops": stops,
            "answering": answering,
            "parroting": parroting,
        },
    )
