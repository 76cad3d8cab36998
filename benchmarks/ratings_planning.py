"""Try the planner, the rule of stopping early, max-t, misfit and bias on games of known truth.

uv run benchmarks/ratings_planning.py                        all of them, in some minutes
uv run benchmarks/ratings_planning.py power --tournaments 400

- power: how often a gap of 100 Elo is shown by the games that the planner asks for
- pilot: what the games needed look like after a pilot
- stopping: how often two equals are told apart by who looks 20 times
- family: how often max-t tells any of many equals apart, and whether true ranks are in their ranges
- misfit: squared z over its degrees of freedom, and warnings, of true games and of cycles
- votes: how often the intervals of biases hold what was planted in votes
- finals: how often an effect on votes is shown by the finals that the planner asks for
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from numpy.typing import NDArray

from engine.ratings import Results, compare, fit, games_needed, pair_errors
from engine.ratings.misfit import misfit
from engine.ratings.planning import finals_needed, from_pilot, planned_information, separation
from labs.bias import estimators as bias

Floats = NDArray[np.float64]
Generator = np.random.Generator

HUNDRED = 100 * log(10) / 400  # Elo, in logits
TABLES = ((2, 2), (10, 5), (20, 7), (50, 7))
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.5)
PEEKS = 20
CASUAL = 1.96


def deal_tables(entrants: int, table: int, games: int, rng: Generator) -> list[list[int]]:
    """Return who sits at each table, dealt so that nobody plays two games more than another."""
    waiting: list[int] = []
    tables = []
    for _ in range(games):
        if len(waiting) < table:
            # Who has not played this time round sits down first, and again at the end of the next.
            again = rng.permutation(waiting).tolist()
            waiting += [each for each in rng.permutation(entrants).tolist() if each not in again]
            waiting += again
        tables.append(rng.permutation(waiting[:table]).tolist())
        waiting = waiting[table:]
    return tables


def play_tables(tables: Sequence[Sequence[int]], skills: Floats, rng: Generator) -> list[Any]:
    """Return rows of orders as Plackett and Luce have them."""
    rows = []
    for game, seated in enumerate(tables):
        heard = skills[seated] + rng.gumbel(size=len(seated))
        places = (-heard).argsort().argsort() + 1
        for entrant, place in zip(seated, places.tolist(), strict=True):
            rows.append({"game_id": f"{game:06}", "entrant": f"e{entrant:02}", "place": place})
    return rows


def skills_with_gap(entrants: int, spread: float, gap: float) -> Floats:
    """Return skills from -spread to spread, but for the first two: these are apart by a gap."""
    others = np.linspace(-spread, spread, max(0, entrants - 2))
    return np.concatenate(([gap / 2, -gap / 2], others))


def z_of_first_two(rows: Sequence[Any], target: str) -> float:
    """Return the z of the gap between the first two entrants."""
    found = fit(Results.from_rows(rows), target)
    return float((found.skill[0] - found.skill[1]) / pair_errors(found)[0, 1])


def power(tournaments: int) -> None:
    """Print how often the planned games show the gap they were planned for."""
    for entrants, table in TABLES:
        for target in ("places", "wins") if table > 2 else ("places",):
            games = games_needed(HUNDRED, entrants, table, target)
            if games * tournaments > 500_000:
                continue
            told = []
            for spread in SPREADS if entrants > 2 else (0.0,):
                skills = skills_with_gap(entrants, spread, HUNDRED)
                shown = 0
                for seed in range(tournaments):
                    rng = np.random.default_rng(seed)
                    tables = deal_tables(entrants, table, games, rng)
                    shown += z_of_first_two(play_tables(tables, skills, rng), target) > CASUAL
                told.append(f"{shown / tournaments:.3f} at {spread:g}")
            print(f"{target}: {entrants} at {table}, {games} games: {', '.join(told)}", flush=True)


def pilot(tournaments: int) -> None:
    """Print what pilots of 100 games of 20 at tables of 7 say of the games that are needed."""
    said = []
    for seed in range(tournaments):
        rng = np.random.default_rng(seed)
        rows = play_tables(deal_tables(20, 7, 100, rng), np.linspace(-0.5, 0.5, 20), rng)
        found = fit(Results.from_rows(rows))
        variance = float(np.median(pair_errors(found)[np.triu_indices(20, 1)]) ** 2)
        said.append(from_pilot(100, variance, HUNDRED))
    low, middle, high = np.quantile(said, (0.025, 0.5, 0.975)).round()
    formula = games_needed(HUNDRED, 20, 7)
    print(f"pilots say {low:.0f} to {high:.0f}, median {middle:.0f}; the formula {formula}")


def stopping(tournaments: int) -> None:
    """Print how often two equals are told apart by looking 20 times, by three rules."""
    for entrants, table in ((2, 2), (10, 5)):
        games = games_needed(HUNDRED, entrants, table)
        planned = planned_information(games, entrants, table)
        skills = skills_with_gap(entrants, 0.5, 0.0)
        counts = {"the mixture": 0, "1.96 each time": 0, "1.96 once at the end": 0}
        for seed in range(tournaments):
            rng = np.random.default_rng(seed)
            rows = play_tables(deal_tables(entrants, table, games, rng), skills, rng)
            apart = careless = last = False
            for peek in range(1, PEEKS + 1):
                found = fit(Results.from_rows(rows[: games * peek // PEEKS * table]))
                if len(found.entrants) < entrants:
                    continue
                gap = float(found.skill[0] - found.skill[1])
                error = float(pair_errors(found)[0, 1])
                apart |= separation(gap, error, planned).apart
                last = abs(gap) > CASUAL * error
                careless |= last
            counts["the mixture"] += apart
            counts["1.96 each time"] += careless
            counts["1.96 once at the end"] += last
        shares = [f"{name} {count / tournaments:.3f}" for name, count in counts.items()]
        print(f"{entrants} at {table}, {games} games: {', '.join(shares)}", flush=True)


def family(tournaments: int) -> None:
    """Print how often max-t tells a pair apart falsely, and a range misses a true rank."""
    for spread in (0.0, 0.5, 1.5):
        skills = np.linspace(spread, -spread, 20)
        false = missed = 0
        for seed in range(tournaments):
            rng = np.random.default_rng(seed)
            rows = play_tables(deal_tables(20, 5, 200, rng), skills, rng)
            found = compare(fit(Results.from_rows(rows)), seed=seed)
            for pair in found.pairs:
                truth = skills[int(pair.entrant[1:])] - skills[int(pair.other[1:])]
                if abs(pair.z) > found.critical and truth <= 0:
                    false += 1
                    break
            for name, (first, last) in found.ranks.items():
                if spread and not first <= int(name[1:]) + 1 <= last:
                    missed += 1
                    break
        print(
            f"20 at 5, 200 games, spread {spread:g}: a pair falsely apart in "
            f"{false / tournaments:.3f}, a true rank missed in {missed / tournaments:.3f}",
            flush=True,
        )


def misfits(tournaments: int) -> None:
    """Print squared z over its degrees of freedom, and how often it warns."""
    cases = ((3, 2, 60), (6, 2, 90), (20, 2, 400), (10, 5, 157), (8, 8, 60), (20, 7, 204))
    for entrants, table, games in cases:
        for cycle in (0.0, 1.0):
            ratios = []
            warnings = 0
            for seed in range(tournaments // 4):
                rng = np.random.default_rng(seed)
                skills = np.linspace(-0.75, 0.75, entrants)
                tables = deal_tables(entrants, table, games, rng)
                rows = []
                for seated in tables:
                    # Each kind of three is better by so much against the next.
                    kinds = np.array(seated) % 3
                    beaten = (kinds[:, np.newaxis] + 1) % 3 == kinds
                    here = skills.copy()
                    here[seated] += cycle * beaten.sum(axis=1)
                    rows.append(play_tables([seated], here, rng))
                games_rows = []
                for number, game in enumerate(rows):
                    games_rows += [row | {"game_id": f"{number:06}"} for row in game]
                results = Results.from_rows(games_rows)
                found = misfit(results, fit(results))
                ratios.append(found.whole.ratio)
                warnings += bool(found.warning)
            kind = "cycles" if cycle else "true"
            print(
                f"{entrants} at {table}, {games} games, {kind}: mean of squared z "
                f"{np.mean(ratios):.2f} (sd {np.std(ratios):.2f}), warns in "
                f"{warnings / len(ratios):.3f}",
                flush=True,
            )


def planted_votes(games: int, rng: Generator, own: float, first: float) -> list[dict[str, Any]]:
    """Return six votes a game between two of 20 entrants of 4 providers, with biases in logits."""
    appeal = rng.normal(0, 0.6, 20)
    votes = []
    for game in range(games):
        seated = rng.permutation(20)[:8].tolist()
        heard = rng.normal(0, 0.3)
        for voter in seated[2:]:
            options = rng.permutation(seated[:2])
            merits = appeal[options] + heard * (options == seated[0])
            merits += own * (options % 4 == voter % 4) + first * np.array([1, 0])
            second = rng.random() > 1 / (1 + np.exp(merits[1] - merits[0]))
            vote = {
                "game": f"g{game}",
                "voter": f"e{voter}",
                "voter_provider": f"p{voter % 4}",
                "options": [f"e{option}" for option in options.tolist()],
                "providers": [f"p{option % 4}" for option in options.tolist()],
            }
            votes.append(vote | {"chosen": vote["options"][int(second)]})
    return votes


def votes(tournaments: int) -> None:
    """Print how often intervals hold planted biases, and how often any p of none is below .05."""
    for games, own, first in ((20, 0.0, 0.0), (60, 0.0, 0.0), (60, 0.4, 0.2), (400, 0.2, 0.1)):
        held = {"same_provider": 0, "listed_first": 0}
        shown = dict.fromkeys(held, 0)
        some = 0
        for seed in range(tournaments):
            cast = planted_votes(games, np.random.default_rng(seed), own, first)
            effects = bias.choice_effects(cast)
            adjusted = bias.adjust(effects, seed)
            some += min(adjusted.values()) < 0.05
            for name, planted in (("same_provider", own), ("listed_first", first)):
                low, high = effects[name].interval
                held[name] += low < planted < high
                shown[name] += not low < 0 < high
        told = [
            f"{name} held {held[name] / tournaments:.3f}, not 0 in {shown[name] / tournaments:.3f}"
            for name in held
        ]
        print(
            f"{games} games, own {own:g}, first {first:g}: {'; '.join(told)}; "
            f"any adjusted p below .05 in {some / tournaments:.3f}",
            flush=True,
        )


def finals(tournaments: int) -> None:
    """Print how often the planned finals show an effect on the share of votes."""
    for effect, jurors, icc in ((0.1, 5, 0.2), (0.1, 5, 0.0), (0.15, 3, 0.5), (0.05, 7, 0.2)):
        planned = finals_needed(effect, jurors, icc=icc)
        shown = held = 0
        for seed in range(tournaments):
            rng = np.random.default_rng(seed)
            lean = np.full(planned, 0.5 + effect)
            if icc:
                strength = 1 / icc - 1
                lean = rng.beta(lean * strength, (1 - lean) * strength)
            hits = rng.random((planned, jurors)) < lean[:, np.newaxis]
            names = np.repeat([f"g{number}" for number in range(planned)], jurors).tolist()
            found = bias.chance_effect(hits.ravel(), [0.5] * hits.size, names)
            assert found.share_interval is not None
            low, high = found.share_interval
            shown += low > 0.5
            held += low < 0.5 + effect < high
        print(
            f"{effect:g} on a share, {jurors} jurors, icc {icc:g}: {planned} finals, shown in "
            f"{shown / tournaments:.3f}, share held in {held / tournaments:.3f}",
            flush=True,
        )


CAMPAIGNS: dict[str, Callable[[int], None]] = {
    "power": power,
    "pilot": pilot,
    "stopping": stopping,
    "family": family,
    "misfit": misfits,
    "votes": votes,
    "finals": finals,
}


def main() -> None:
    """Run the campaigns that were asked for, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("campaigns", nargs="*", choices=[[], *CAMPAIGNS], default=[])
    parser.add_argument("--tournaments", type=int, default=400, help="how many of each kind")
    options = parser.parse_args()
    for name in options.campaigns or CAMPAIGNS:
        print(f"{name}:")
        begun = time.perf_counter()
        CAMPAIGNS[name](options.tournaments)
        print(f"  {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
