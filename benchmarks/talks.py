"""Print the figures of scripted talks: lengths, ends, moves, fairness, answers, time.

uv run benchmarks/talks.py [SEEDS]
uv run benchmarks/talks.py calibration [SEEDS] [FIRST]

The second plays five casts at every depth, from the seed FIRST on, and prints beside its own
figures those by which steps, circles and move noise were set (on seeds 1000 to 1199).
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games.talks.archetypes import DEPTHS, Gender, Move, PersonalityArchetype
from engine.games.talks.cast import CAST, Role, first_of_cast
from engine.games.talks.depth import is_depth_explored
from engine.games.talks.metrics import gini
from engine.games.talks.talk_state import TalkState
from engine.games.talks.theory.choosing import MultiAgentGameTheory
from engine.history import History
from engine.rng import stream
from player import PlayerConfig

SEEDS = 200
TOPICS = (
    "What is love?",
    "What is consciousness?",
    "Should AI systems have rights?",
    "The ethics of war",
)


@dataclass(frozen=True, slots=True)
class Talk:
    """A finished talk: who spoke, with which moves towards whom, why it stopped, and its log."""

    history: History
    speakers: tuple[str, ...]
    moves: tuple[str, ...]
    targets: tuple[str | None, ...]
    reason: str
    novelties: tuple[float, ...]


def talk_of(
    roles: Sequence[Role], depth: int, seed: int, script: str = "in_character", **more: Any
) -> GameEngine:
    """Return a talk between scripts, not yet started; `more` are settings of the game."""
    settings = {
        "name": "talks",
        "topic": TOPICS[seed % len(TOPICS)],
        "depth": depth,
        "participants": [role._asdict() for role in roles],
        **more,
    }
    seats = [PlayerConfig(player_id=role.name, provider="scripted", model=script) for role in roles]
    return GameEngine(
        GameEngineConfig(player_configs=seats, logs_dir=None, game=settings, seed=seed)
    )


def talks(
    roles: Sequence[Role], depth: int, seeds: int, first: int = 0, **more: Any
) -> Iterator[Talk]:
    """Play and yield one talk for each of so many seeds, from `first` on."""
    for seed in range(first, first + seeds):
        history = talk_of(roles, depth, seed, **more).run()
        said = [event for event in history.events if event.kind == "utterance"]
        (stop,) = [event for event in history.events if event.kind == "stop"]
        yield Talk(
            history,
            tuple(event.data["speaker"] for event in said),
            tuple(event.data["move"] for event in said),
            tuple(event.data["target"] for event in said),
            stop.data["reason"],
            tuple(event.data["novelty"] for event in said),
        )


def addressed_next(found: Sequence[Talk]) -> float:
    """Return the share (0 to 1) of addressed exchanges whose addressee speaks next."""
    answers = [
        target == talk.speakers[place + 1]
        for talk in found
        for place, target in enumerate(talk.targets[:-1])
        if target is not None
    ]
    return fmean(answers)


def line(roles: Sequence[Role], depth: int, found: Sequence[Talk]) -> str:
    """Return one row of the table."""
    lengths = [len(talk.speakers) for talk in found]
    moves = Counter(move for talk in found for move in talk.moves)
    ends = Counter(talk.reason for talk in found)
    fairness = fmean(gini([talk.speakers.count(role.name) for role in roles]) for talk in found)
    mix = "/".join(f"{100 * moves[move] / moves.total():.0f}" for move in Move)
    level = DEPTHS[depth]
    size = f"{len(roles):>3} {depth:>5}"
    reach = f"{min(lengths):>3}-{max(lengths):<3} ({level.least}-{level.most})"
    chance = 1 / (len(roles) - 1)
    novelty = fmean(score for talk in found for score in talk.novelties)
    reasons = ", ".join(f"{reason} {count}" for reason, count in ends.most_common())
    return (
        f"{size}  {reach}".ljust(26)
        + f"{mix:<22} gini {fairness:.2f}  "
        + f"next {addressed_next(found):.2f} (chance {chance:.2f})  "
        + f"novelty {novelty:.2f}  {reasons}"
    )


def theory_time(roles: Sequence[Role], seeds: int) -> float:
    """Return the milliseconds of one turn's theory: urgencies, choice of move, all payoffs."""
    theory, spent, turns = MultiAgentGameTheory(), 0.0, 0
    for seed in range(seeds):
        engine = talk_of(roles, 5, seed)
        engine.run()
        state: TalkState = engine.state
        talk = state.talk
        begun = time.process_time()
        for number in range(20):
            wishes = theory.wishes(talk, stream(seed, number))
            theory.choice(max(wishes, key=lambda one: wishes[one].score), talk)
            for one in talk.order:
                theory.calculate_move_payoffs(one, talk)
        spent += time.process_time() - begun
        turns += 20
    return 1000 * spent / turns


def cast_of(**counts: int) -> tuple[Role, ...]:
    """Return a cast of so many participants of each personality."""
    roles: list[Role] = []
    for kind, count in counts.items():
        personality = PersonalityArchetype(kind)
        for number in range(count):
            name = f"{kind.capitalize()} {number + 1}"
            roles.append(Role(name, Gender.NON_BINARY, personality, CAST[len(roles)].expertise))
    return tuple(roles)


PANEL_ENDS = {"min_convergence": 0.75, "depth_threshold": 0.8}
CASTS: dict[str, tuple[tuple[Role, ...], dict[str, Any]]] = {
    "default 5": (first_of_cast(5), {}),
    "default 2": (first_of_cast(2), {}),
    "supportive": (cast_of(collaborative=3, cautious=1, creative=1), {}),
    "adversarial": (cast_of(skeptical=3, assertive=2), {}),
    "panel": (
        cast_of(analytical=1, assertive=1, cautious=1, creative=1),
        {"termination": PANEL_ENDS},
    ),
}
REASONS = ("repetitive", "consensus", "convergence", "max_reached")
# What the calibration measured on 200 seeds that it was not tuned on.
ENDS_THEN = {1: "0/38/11/50", 2: "0/56/7/37", 3: "1/42/12/44", 4: "3/28/16/54", 5: "6/47/25/22"}
COALITIONS_THEN = {
    "default 5": {1: 4, 2: 12, 3: 24, 4: 46, 5: 78},
    "supportive": {3: 81},
    "adversarial": {3: 1},
    "panel": {3: 31},
    "default 2": {3: 78},
}
CONVERGENCE_THEN = {
    "default 5": ".36 (.49, .61)",
    "supportive": ".78 (.84, .96)",
    "adversarial": ".12 (highest .48)",
    "panel": ".41 (highest .82)",
    "default 2": ".83 (highest 1.0)",
}
EXCHANGES_THEN = {1: 3.9, 2: 7.4, 3: 11.2, 4: 15.1, 5: 20.9}


def last_check(talk: Talk) -> dict[str, Any]:
    """Return the data of the last check of a talk."""
    checks = [event for event in talk.history.events if event.kind == "check"]
    return checks[-1].data


def is_warned(talk: Talk) -> bool:
    """Return whether a speaker was told that one more stale turn ends the talk."""
    chosen = [event.data for event in talk.history.events if event.kind == "selection"]
    return any(data.get("stale", False) for data in chosen)


def early_conclusions(talk: Talk, depth: int, cap: int, share: float) -> int:
    """Return how many CONCLUDEs were made where the talk could not end with them."""
    early, aspects = 0, 0
    checks = [event.data for event in talk.history.events if event.kind == "check"]
    for turn, (move, check) in enumerate(zip(talk.moves, checks, strict=True), 1):
        may_end = turn >= cap or is_depth_explored(aspects, turn, depth, depth_threshold=share)
        early += move == Move.CONCLUDE and not may_end
        aspects = check["aspects"]
    return early


def shares(found: Sequence[Talk]) -> str:
    """Return the share of each reason to stop, in %."""
    ends = Counter(talk.reason for talk in found)
    return "/".join(f"{100 * ends[reason] / len(found):.0f}" for reason in REASONS)


def calibration(seeds: int, first: int) -> None:
    """Play every cast at every depth, and print what came of it beside what was measured then."""
    print(f"{seeds} seeds from {first} on, for each of {', '.join(CASTS)}; then = the calibration")
    print("stops in % as circles/consensus/convergence/cap; convergence: median (90 %, highest)")
    reached: dict[str, list[float]] = {name: [] for name in CASTS}
    every: list[Talk] = []
    for depth in DEPTHS:
        played = {
            name: [*talks(roles, depth, seeds, first, **more)]
            for name, (roles, more) in CASTS.items()
        }
        print_depth(depth, played)
        for name, found in played.items():
            every += found
            if depth >= 3:
                reached[name] += [last_check(talk)["convergence"] for talk in found]
    circles = [talk for talk in every if talk.reason == "repetitive"]
    warned = sum(is_warned(talk) for talk in circles)
    print(f"all depths: {shares(every)} (then 2/42/14/41); {warned} of {len(circles)} stops by")
    print("  circles were warned before")
    fives = [talk for talk in every if len({*talk.speakers}) > 2]
    print(f"addressed speaks next, where more than two talk: {addressed_next(fives):.2f}")
    for name, levels in reached.items():
        levels.sort()
        high, most = levels[int(0.9 * len(levels))], levels[-1]
        told = f"{median(levels):.2f} ({high:.2f}, {most:.2f})"
        print(f"convergence, depths 3 to 5, {name:<12} {told}; then {CONVERGENCE_THEN[name]}")


def print_depth(depth: int, played: dict[str, list[Talk]]) -> None:
    """Print how the talks of a depth went and ended, all casts together and each by itself."""
    found = [talk for one in played.values() for talk in one]
    lengths = fmean(len(talk.speakers) for talk in found)
    mix = Counter(move for talk in found for move in talk.moves)
    moves = "/".join(f"{100 * mix[move] / mix.total():.0f}" for move in Move)
    early = 0
    for name, one in played.items():
        share = PANEL_ENDS["depth_threshold"] if name == "panel" else 1.0
        early += sum(early_conclusions(talk, depth, DEPTHS[depth].most, share) for talk in one)
    answered = addressed_next(played["default 5"])
    print(
        f"depth {depth}: stops {shares(found)} (then {ENDS_THEN[depth]}), {lengths:.1f} exchanges "
        f"(then {EXCHANGES_THEN[depth]}), moves {moves},\n  {early} CONCLUDEs before the talk may "
        f"end, addressed speaks next {answered:.2f} of five (chance .25)",
        flush=True,
    )
    for name, one in played.items():
        together = 100 * fmean(bool(last_check(talk)["coalitions"]) for talk in one)
        then = COALITIONS_THEN[name].get(depth)
        told = f"(then {then})" if then is not None else ""
        print(f"    {name:<12} stops {shares(one):<12} coalitions {together:.0f} % {told}")


def main() -> None:
    """Print all figures."""
    if sys.argv[1:2] == ["calibration"]:
        words = sys.argv[2:]
        calibration(int(words[0]) if words else SEEDS, int(words[1]) if words[1:] else 0)
        return
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    print(f"{seeds} talks each; moves in % as {'/'.join(Move)}")
    print("  N depth  exchanges (range)")
    for count in (2, 5, 10):
        for depth in DEPTHS:
            found = [*talks(first_of_cast(count), depth, seeds)]
            print(line(first_of_cast(count), depth, found), flush=True)
            if count == 2:
                uneven = max(
                    abs(2 * talk.speakers.count("Sophia") - len(talk.speakers)) for talk in found
                )
                print(f"{'':26}turns of the two differ by at most {uneven}")
    supportive = [CAST[0], CAST[8]]
    found = [*talks(supportive, 4, seeds, termination={"min_convergence": 0.75})]
    print("two collaborative participants, min_convergence 0.75:")
    print(line(supportive, 4, found))
    print(f"game theory: {theory_time(first_of_cast(10), min(seeds, 20)):.2f} ms a turn at N = 10")


if __name__ == "__main__":
    main()
