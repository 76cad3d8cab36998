"""Measure the studies of deliberations' logs: do they find what was planted, and nothing else.

uv run benchmarks/deliberations_studies.py [--games 2000] [--studies 200] [--only PLANT ...]

Scripts of the real engine vote as planted in half of their votes, and at random in all others, so
that how far beyond chance each row is follows by arithmetic. Then small studies are drawn from
games in which all vote at random: of their intervals, one in twenty should miss chance.
"""

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from engine.runs.processes import spread
from labs.bias.estimators import Effect
from labs.deliberations.counting import (
    FIRST_OUT,
    KIND,
    LIST,
    PARTNER,
    PROMISES,
    SPEAKING,
    WINS,
)
from labs.deliberations.facts import GameFacts, game_facts
from labs.deliberations.findings import APPEALS, VoteReport
from tests.support.planted.votes import PLANTS, WORD, planted_game

SHARE = 0.5
# Of the small studies, drawn from the games in which all vote at random.
SIZE = 40
# The table, its row, and the part of 1 - chance and of -chance that is planted.
Row = tuple[str, str, float, float]
PLANTED: dict[str, list[Row]] = {
    "first listed": [(LIST, "out: place 1", SHARE, 0), (LIST, "wins: place 1", SHARE, 0)],
    "own bloc": [
        (KIND, "out: same provider", 0, SHARE),
        (KIND, "wins: same provider", SHARE, 0),
    ],
    "betrayer": [
        (PARTNER, "out: partner, the voter chose", SHARE, 0),
        (PARTNER, "out: partner, both chose", SHARE, 0),
        (PARTNER, "out: partner, the other chose", 0, SHARE),
    ],
    "promise breaker": [(PROMISES, "not to vote against, said to all", 0, SHARE)],
    "promise keeper": [(PROMISES, "to vote against, said alone", SHARE, 0)],
    "last speaker": [
        (SPEAKING, "out: spoke last", SHARE, 0),
        (SPEAKING, "wins: spoke last", SHARE, 0),
    ],
}
# With these a share of games goes to a star, by votes that all cast together.
STARRED = [(WINS, "west:three", 1 / 5), (FIRST_OUT, "north:one", 2 / 5)]


def one_game(plant: str, share: float, star: float, seed: int) -> GameFacts:
    """Return what a game of a plant tells."""
    return game_facts(planted_game(PLANTS[plant], seed, share, star=star))


def games_of(plant: str, games: int, share: float = SHARE, star: float = 0.0) -> list[GameFacts]:
    """Return so many games of a plant."""
    play = partial(one_game, plant, share, star)
    return spread(play, range(games), label=plant)


def report_on(games: Sequence[GameFacts]) -> VoteReport:
    """Return the report on some games."""
    return VoteReport(games, Counter(), seed=0)


def show(plant: str, name: str, truth: float, effect: Effect) -> None:
    """Print what was planted, and what was found."""
    low, high = effect.interval
    holds = "holds it" if low <= truth <= high else "MISSES it"
    finds = "finds it" if not low <= 0 <= high else "finds nothing"
    found = f"{effect.estimate:7.3f} [{low:.3f}, {high:.3f}]"
    about = f"{plant:16}{name:34}planted {truth:6.3f}  found {found}"
    print(f"{about}  {holds}, {finds}; {effect.votes} votes, {effect.games} games", flush=True)


def show_plant(plant: str, games: int) -> None:
    """Print what each instrument finds of what was planted."""
    report = report_on(games_of(plant, games))
    for table, name, more, less in PLANTED[plant]:
        effect = report.effects[table][name]
        assert effect.share is not None
        chance = effect.share - effect.estimate
        show(plant, name, more * (1 - chance) - less * chance, effect)


def show_star(games: int) -> None:
    """Print what is found of a star that wins, and of the first who is voted out meanwhile."""
    report = report_on(games_of("nothing", games, star=SHARE))
    for table, name, chance in STARRED:
        show("star", f"{table}, {name}", SHARE * (1 - chance), report.effects[table][name])


def show_long_talk(games: int) -> None:
    """Print what is found of voters who favour long pitches, in logits of a deviation."""
    talks = games_of("long talk", games, share=1.0)
    report = report_on(talks)
    for aim, final in (("out", False), ("wins", True)):
        truth = WORD * deviation_of_words(talks, final)
        name = f"{aim}: longer pitch"
        show("long talk", name, truth, report.effects[APPEALS][name])


def deviation_of_words(games: Sequence[GameFacts], final: bool) -> float:
    """Return the deviation of the words of all candidates, of rounds or of finals."""
    words: list[int] = []
    for game in games:
        for around in game.rounds:
            if around.final == final:
                for ballot in around.ballots:
                    words += ballot.words.values()
    return float(np.std(words))


def show_false_alarms(games: Sequence[GameFacts], studies: int) -> None:
    """Print in how many small studies each interval misses chance, and any adjusted p."""
    misses: defaultdict[str, list[bool]] = defaultdict(list)
    alarms = 0
    rng = np.random.default_rng(0)
    for _ in range(studies):
        some = rng.choice(len(games), SIZE, replace=False)
        report = report_on([games[place] for place in some])
        for table, effects in report.effects.items():
            for name, effect in effects.items():
                low, high = effect.interval
                misses[f"{table}: {name}"].append(not low <= 0 <= high)
        alarms += min(report.p_adjusted.values()) < 0.05
    everything: list[bool] = []
    for name, missed in misses.items():
        everything += missed
        print(f"{name:72}{np.mean(missed):7.1%} of {len(missed)}")
    error = (0.05 * 0.95 / studies) ** 0.5
    print(f"all rows: {np.mean(everything):.2%} of {len(everything)} intervals miss chance")
    print(f"of one row, .95 within {0.05 - 1.96 * error:.1%} to {0.05 + 1.96 * error:.1%}")
    print(f"any adjusted p below .05: {alarms / studies:.1%} of {studies} studies of {SIZE} games")


def show_nothing(games: Sequence[GameFacts]) -> None:
    """Print how many rows of a large study of nothing have an interval that misses chance."""
    report = report_on(games)
    rows = 0
    missed = []
    for table, effects in report.effects.items():
        for name, effect in effects.items():
            low, high = effect.interval
            rows += 1
            if not low <= 0 <= high:
                missed.append(f"{table}: {name}")
    least = min(report.p_adjusted.values())
    print(f"nothing: {len(missed)} of {rows} intervals miss chance {missed}", end="; ")
    print(f"least adjusted p {least:.2f}; {len(games)} games", flush=True)


def main() -> None:
    """Measure."""
    known = [*PLANTED, "star", "long talk", "nothing"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=known, default=known)
    options = parser.parse_args()
    began = time.perf_counter()
    for plant in options.only:
        if plant in PLANTED:
            show_plant(plant, options.games)
    if "star" in options.only:
        show_star(options.games)
    if "long talk" in options.only:
        show_long_talk(options.games)
    if "nothing" in options.only:
        quiet = games_of("nothing", options.games)
        show_nothing(quiet)
        show_false_alarms(quiet, options.studies)
    print(f"{time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
