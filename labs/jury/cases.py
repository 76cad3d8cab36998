"""Find a tournament's finals that can be judged again, and the secrets needed to judge them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.config import differences
from engine.spending.budget import seat_of
from engine.spending.costs import plus, price
from engine.tournaments.ledger import LedgerState
from engine.tournaments.settings import TournamentSettings, read_tournament
from engine.tournaments.table import config_of, entrants_of
from labs.jury.final import FINALISTS, MEANT, Unplayable
from labs.jury.jury import Case
from providers.settings import REDACTED

GAME = "deliberations"
# The approximate number of logs read to estimate the cost of asking.
SAMPLE = 10


def cases_in(folder: Path, state: LedgerState, settings: TournamentSettings) -> list[Case]:
    """Return finished games in order; raise ValueError if they lack a jury or two finalists."""
    require_jury(settings)
    cases = []
    for draw in state.in_order():
        done = state.done.get(draw.number)
        if done is None or done.status != "finished":
            continue
        config = config_of(settings, draw, folder)
        log = folder / "games" / f"{config.game_id}.json"
        entrants = entrants_of(settings, draw)
        cases.append(Case(draw.number, log, done.sha256, config, entrants))
    return cases


def require_jury(settings: TournamentSettings) -> None:
    """Raise ValueError unless the tournament's games have a jury and two finalists."""
    game = settings.game["name"]
    if game != GAME:
        raise ValueError(
            f"expected a tournament of {GAME}, where eliminated players choose the winner: "
            f"{settings.name} plays {game}, which has no jury"
        )
    finalists = settings.game.get("finalists", FINALISTS)
    if finalists != FINALISTS:
        raise ValueError(
            f"expected finals of two: {settings.name} has finalists: {finalists}, and only {MEANT}"
        )


def likely_cost(cases: Sequence[Case], changes: int) -> float | None:
    """Return the likely cost in dollars of `changes` questions per juror, or None if unknown."""
    cost: float | None = 0.0
    sample = cases[:: 1 + len(cases) // SAMPLE]
    for case in sample:
        for vote in vote_prices(case):
            cost = plus(cost, vote)
    if cost is None:
        return None
    return cost * changes * len(cases) / len(sample)


def vote_prices(case: Case) -> Iterator[float | None]:
    """Yield the price of each vote in a final (None if unknown); skip an unreadable final."""
    try:
        final = case.read().rounds[-1]
    except Unplayable:
        return
    for event in final.events:
        if event.kind == "vote" and event.player_id and event.usage:
            seat = case.seat(event.player_id)
            yield price(seat_of(seat), event.usage)


def whole_settings(
    state: LedgerState, path: Path | None = None, *, offline: bool = False
) -> TournamentSettings:
    """Return a tournament's settings with the secrets of its entrants.

    The ledger stores no secrets; they are in the tournament's own file, `path`, or in environment
    variables. Raises ValueError if the file lists other entrants, or if a secret is missing and the
    jury is not `offline`.
    """
    played = state.settings
    if path is not None:
        return with_secrets(played, path)
    seats = played.entrants.items()
    lost = [name for name, entrant in seats if REDACTED in str(entrant.client_kwargs)]
    if lost and not offline:
        raise ValueError(
            f"expected the headers and secrets of {', '.join(lost)}, which no ledger stores: give "
            "the tournament's file with --config FILE"
        )
    return played


def with_secrets(played: TournamentSettings, path: Path) -> TournamentSettings:
    """Return the settings with the file's entrants; raise ValueError if the entrants differ."""
    found = read_tournament(path)
    now = found.public()["entrants"]
    for name, entrant in played.public()["entrants"].items():
        changes = differences(entrant, now.get(name), name)
        if changes:
            raise ValueError(
                f"expected {path} to list the entrants of {played.name}: {'; '.join(changes)}"
            )
    entrants = {name: found.entrants[name] for name in played.entrants}
    return played.model_copy(update={"entrants": entrants})
