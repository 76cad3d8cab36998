"""A tournament's plan, with its statistical power and its cost, as tables and sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from engine.ratings import TARGETS, Results
from engine.ratings.columns import Ints
from engine.ratings.intervals import NORMAL
from engine.ratings.table_power import Watch, critical_of_equals
from engine.report.tables import Facts, Part, Sentence, Table, Title
from engine.spending.costs import dollar_text, times
from engine.tournaments.ledger import LedgerState, ledgers_in, read_ledgers
from engine.tournaments.plan.game_cost import GameCost, bound_game, measure_game
from engine.tournaments.plan.needs import GAPS, Pilot, pilot_or_equals
from engine.tournaments.row_cache import rows_of_tournament
from engine.tournaments.schedule.balanced import Balanced
from engine.tournaments.schedule.draw import Draw, count_draws
from engine.tournaments.settings import TournamentSettings
from engine.tournaments.standings.entrants import rated_results
from engine.tournaments.table import check_seats

HOUR = 3600.0
BASES = ("one named pair", "in the table")
IN_TABLE = (
    "One named pair is a single pair that you choose before the games. The table judges all pairs "
    "at once, so it needs more games; games per entrant, tokens, dollars and hours are given for "
    "the table."
)
AT_LEAST = "These are minimums: entrants that differ widely need more."
FROM_PILOT = "Based on the precision of the ratings after {games} finished games."
NO_PILOT = (
    "For {target}, play some games as a pilot and plan again. Until then this table is for places."
)
BOUNDED = (
    "Tokens and dollars are upper bounds, because no game has been played yet: games stay far "
    "below them. Play some games, and plan again."
)
UNTIMED = "Hours appear once some games are finished."


@dataclass(frozen=True)
class Plan:
    """A plan's inputs; `games` and `max_cost` (dollars) limit the tournament.

    `bases` maps targets to a pilot, or to one game between equals; targets without either are
    missing. `max_cost` is None if the cost is unlimited. `critical` is the least |z| at which the
    tournament's table shows a difference.
    """

    settings: TournamentSettings
    cost: GameCost
    bases: Mapping[str, Pilot]
    games: int
    max_cost: float | None
    critical: float

    @property
    def affordable(self) -> int:
        """The number of requested games that the budget in dollars allows."""
        each = self.cost.dollars
        if self.max_cost is None or not each:
            return self.games
        return min(self.games, int(self.max_cost / each))


def make_plan(
    settings: TournamentSettings,
    folder: Path,
    max_cost: float | None,
    games: int | None,
    watch: Watch | None = None,
) -> Plan:
    """Return the plan of a tournament; its `folder` may already contain finished games.

    `watch` receives the number of tables simulated so far, and the total. Raise ValueError for an
    entrant that cannot play.
    """
    check_seats(settings)
    state = finished_state(settings, folder)
    return Plan(
        settings=settings,
        cost=measure_game(settings, state, folder) or bound_game(settings),
        bases=_bases_of(settings, state, folder),
        games=games or settings.games,
        max_cost=settings.budgets.max_cost if max_cost is None else max_cost,
        critical=critical_of_equals(len(settings.entrants), settings.table, settings.seed, watch),
    )


def _bases_of(settings: TournamentSettings, state: LedgerState, folder: Path) -> dict[str, Pilot]:
    results = None
    if state.games_over():
        rows = chain.from_iterable(rows_of_tournament(folder, state, settings).values())
        results = rated_results(Results.from_rows(rows), settings.rated_from)
    targets = dict.fromkeys((*settings.targets, *targets_in_elo(settings)))
    bases = {target: pilot_or_equals(settings, results, target) for target in targets}
    return {target: basis for target, basis in bases.items() if basis is not None}


def targets_in_elo(settings: TournamentSettings) -> list[str]:
    """Return the targets whose gaps are in Elo, or only places if there are none."""
    fitted = [target for target in settings.targets if TARGETS[target].rule is not None]
    return fitted or ["places"]


def finished_state(settings: TournamentSettings, folder: Path) -> LedgerState:
    """Return the content of the ledgers in `folder`, or an empty state if their settings differ."""
    state = read_ledgers(folder) if ledgers_in(folder) else LedgerState()
    same = state.header is not None and state.settings.sha256 == settings.sha256
    return state if same else LedgerState()


def plan_parts(plan: Plan) -> Iterator[Title | Part]:
    """Yield the parts of the plan."""
    games = plan.affordable
    yield _plan_title(plan)
    yield Sentence(IN_TABLE)
    for target in targets_in_elo(plan.settings):
        yield needs_table(plan, target)
        played = plan.bases[target].games
        yield Sentence(FROM_PILOT.format(games=played) if played > 1 else AT_LEAST)
    if games:
        yield Facts("What these games show", shown_facts(plan, games))
        yield Facts("Schedule", schedule_facts(plan.settings, games))
    for note in plan_notes(plan, games):
        yield Sentence(note)


def _plan_title(plan: Plan) -> Title:
    settings = plan.settings
    head = (
        ("game", str(settings.game["name"])),
        ("entrants", f"{len(settings.entrants)}, {settings.table} at a table"),
        ("rated by", ", ".join(settings.targets)),
        ("games", f"{plan.affordable:,} of {plan.games:,}"),
    )
    return Title(f"Plan of {settings.name}", [*head, *cost_facts(plan)])


def cost_facts(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the cost of one game and of all games."""
    cost, games = plan.cost, plan.affordable
    measured = f", from {cost.games:,} finished games" if cost.games else ""
    yield "a game takes", amount_text(cost, 1) + measured
    yield "all games take", amount_text(cost, games)
    if cost.at_most:
        whole = dollar_text(times(cost.likely, games))
        yield "more likely", f"{dollar_text(cost.likely)} a game, {whole}"


def amount_text(cost: GameCost, games: int) -> str:
    """Return the tokens and dollars of `games` games, as text."""
    bound = "at most " if cost.at_most else ""
    return f"{bound}{games * cost.tokens:,.0f} tokens, {dollar_text(times(cost.dollars, games))}"


def needs_table(plan: Plan, target: str) -> Table:
    """Return the games, tokens, dollars and hours that each gap needs ("?" if unknown)."""
    basis = plan.bases[target]
    rows = []
    for gap in GAPS:
        needs = _needs_of(plan, basis.games_for(gap, plan.critical))
        rows.append((f"{gap} Elo", f"{basis.games_for(gap):,}", *needs))
    bound = " at most" if plan.cost.at_most else ""
    columns = ("gap", *BASES, "an entrant", f"tokens{bound}", f"dollars{bound}", "hours")
    return Table(f"Games that show a gap in {target}", columns, rows)


def _needs_of(plan: Plan, games: int) -> tuple[str, ...]:
    """Return the cells for `games` games: games, games per entrant, tokens, dollars and hours."""
    settings, cost = plan.settings, plan.cost
    each = games * settings.table / len(settings.entrants)
    counts = f"{games:,}", f"{each:,.0f}", f"{games * cost.tokens:,.0f}"
    hours = "?"
    if cost.seconds is not None:
        hours = f"{games * cost.seconds / settings.concurrency / HOUR:.2f}"
    return *counts, dollar_text(times(cost.dollars, games)), hours


def shown_facts(plan: Plan, games: int) -> list[tuple[str, str]]:
    """Return, by target, the smallest gap that `games` games show, for one pair and for all."""
    facts = []
    for target in plan.settings.targets:
        amount = "needs a pilot"
        if target in plan.bases:
            amount = f"{', '.join(_gaps_shown(plan, target, games))} in {games:,} games"
        facts.append((f"smallest gap in {target}", amount))
    return facts


def _gaps_shown(plan: Plan, target: str, games: int) -> Iterator[str]:
    scale, basis = TARGETS[target].scale, plan.bases[target]
    for tested, critical in zip(BASES, (NORMAL, plan.critical), strict=True):
        gap = scale.gap(basis.gap_shown(games, critical))
        yield f"{gap:,.3g} {scale.unit} ({tested})"


def schedule_facts(settings: TournamentSettings, games: int) -> list[tuple[str, str]]:
    """Return facts about the schedule or, if it waits for results, about a balanced schedule."""
    schedule = settings.schedule.chosen
    usual = Balanced() if schedule.waits else schedule
    draws = list(usual.draw(settings.model_copy(update={"games": games})))
    exposure = count_draws(settings, draws)
    pairs = np.triu_indices(len(settings.entrants), 1)
    share = same_provider_share(settings, draws)
    return [
        ("games per entrant", span(exposure.games)),
        ("games in each seat", span(exposure.seats)),
        ("meetings per pair", span(exposure.meetings[pairs])),
        ("tables with two models of one provider", f"{share:.0%}"),
    ]


def span(counts: Ints) -> str:
    """Return the range of counts, such as "3 to 4"."""
    least, most = counts.min(), counts.max()
    return f"{least}" if least == most else f"{least} to {most}"


def same_provider_share(settings: TournamentSettings, draws: Sequence[Draw]) -> float:
    """Return the share (0 to 1) of tables at which two models have the same provider."""
    models = {name: each for name, each in settings.entrants.items() if each.kind.asks == "model"}
    shared = 0
    for draw in draws:
        providers = [models[name].provider for name in draw.seats if name in models]
        shared += len(set(providers)) < len(providers)
    return shared / len(draws)


def plan_notes(plan: Plan, games: int) -> Iterator[str]:
    """Yield the plan's caveats."""
    settings = plan.settings
    for target in settings.targets:
        if target not in plan.bases:
            yield NO_PILOT.format(target=target)
    if plan.cost.at_most:
        yield BOUNDED
    if plan.cost.seconds is None:
        yield UNTIMED
    if not games:
        yield f"{dollar_text(plan.max_cost)} may not cover one game: choose a larger --max-cost."
    note = settings.schedule.chosen.note(settings, games)
    if note:
        yield note
