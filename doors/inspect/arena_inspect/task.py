"""The task: games of the arena that differ in their seed and in the model's seat."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from arena_inspect.bridge import JsonObject
from arena_inspect.solver import RESULT, play_arena

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hal")
MOST = len(NAMES) - 1
# Default rivals; in every other game, the default is one `random`.
RIVALS = {
    "conversation": "greedy,random",
    "deliberations": "loyal,grudge,random",
    "dilemma": "tit_for_tat,grudger,random",
    "guest": "leader,random",
    "talks": "fresh,terse",
    "textarena": "brackets",
}


@task
def arena(  # noqa: PLR0917 - the command line passes all of them by name
    game: str = "dilemma",
    settings: JsonObject | None = None,
    rivals: str | list[str] | None = None,
    games: int = 10,
    first_seed: int = 0,
    logs: str | None = None,
) -> Task:
    """Play games of the arena against scripts.

    Args:
        game: A game of the arena: conversation, deliberations, dilemma, talks ...
        settings: The game's settings, as in a config of the arena.
        rivals: Strategies for the other seats, separated by commas; the default suits the game.
        games: The number of samples; in each, the model moves on by one seat.
        first_seed: The seed of the first game; each later game adds 1.
        logs: The folder for the arena's logs.

    """
    strategies = _strategies_in(RIVALS.get(game, "random") if rivals is None else rivals)
    rules = {"name": game, **(settings or {})}
    seats = len(strategies) + 1
    samples = [
        _sample(rules, strategies, first_seed + number, number % seats) for number in range(games)
    ]
    return Task(dataset=samples, solver=play_arena(logs), scorer=rivals_beaten())


def _strategies_in(rivals: str | list[str]) -> list[str]:
    # Inspect's command line splits a text with commas into a list.
    words = rivals.split(",") if isinstance(rivals, str) else rivals
    strategies = [*filter(None, map(str.strip, words))]
    if not 1 <= len(strategies) <= MOST:
        raise ValueError(f"expected 1 to {MOST} rivals, a strategy each: got {rivals!r}")
    return strategies


def _sample(rules: JsonObject, strategies: list[str], seed: int, own: int) -> Sample:
    """Return one game as a sample; the model's seat, at `own`, has only a name so far."""
    table = {"game": rules, "seed": seed, "player_configs": _players(strategies, own)}
    seat = NAMES[own]
    rivals = {}
    for player in table["player_configs"]:
        if player["player_id"] != seat:
            rivals[player["player_id"]] = f"scripted:{player['model']}"
    return Sample(
        id=f"{rules['name']}-{seed}",
        input=f"Play {seat} in a game of {rules['name']}.",
        metadata={"table": table, "seat": seat, "players": rivals},
    )


def _players(strategies: list[str], own: int) -> list[dict[str, str]]:
    players = [{"provider": "scripted", "model": strategy} for strategy in strategies]
    players.insert(own, {})
    for name, player in zip(NAMES, players, strict=False):
        player["player_id"] = name
    return players


@scorer(metrics=[mean(), stderr()])
def rivals_beaten() -> Scorer:
    """Score a game by the share of rivals placed behind the model; ties count half.

    Games that are void or cut off by a limit score 0.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        ended = state.store.get(RESULT)
        if ended is None:
            cut = "the game was cut off"
            return Score(value=0.0, explanation=cut, metadata={"status": "stopped"})
        return _score_of(ended, state.metadata["seat"])

    return score


def _score_of(ended: JsonObject, seat: str) -> Score:
    outcome = ended["outcome"]
    usage = ended["usage"][seat]
    places = outcome["placements"]
    figures = {
        "score": outcome["scores"][seat],
        "asks": usage["asks"],
        "fallbacks": usage["fallbacks"],
        "scores": outcome["scores"],
        "places": places,
    }
    if ended["void"]:
        figures["status"] = "void"
    void = ended["void"] or ended["void_seats"]
    if void:
        return Score(value=0.0, answer="void", explanation=void, metadata=figures)
    return Score(
        value=_share_behind(places, seat),
        answer=f"place {places[seat]} of {len(places)}",
        explanation=outcome["summary"],
        metadata=figures,
    )


def _share_behind(places: dict[str, int], seat: str) -> float:
    """Return the share of rivals placed behind a seat, 0 to 1; ties count half."""
    own_place = places[seat]
    behind = sum(place > own_place for place in places.values())
    level = sum(place == own_place for place in places.values()) - 1
    return (behind + level / 2) / (len(places) - 1)
