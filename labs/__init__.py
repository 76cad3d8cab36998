"""Research based on the engine: studies and training for each game, and tests for bias.

Each study named below is imported when it is first used.
"""

from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labs.study import AnyLogStudy, AnyStudy

STUDIES = {
    "conversation": {
        "length": "conversation.studies:ByLength",
        "players": "conversation.studies:ByPlayers",
        "random": "conversation.studies:ByRandomPlayers",
        "selfish": "conversation.selfish:Selfish",
        "patterns": "conversation.studies:Emergent",
        "selfplay": "conversation.studies:SelfPlay",
        "tournament": "conversation.contests:Tournament",
        "train": "conversation.lessons:Train",
    },
    "dilemma": {
        "ranks": "dilemma.studies:Ranks",
        "elimination": "dilemma.studies:Elimination",
        "noise": "dilemma.grids:Noise",
        "length": "dilemma.grids:GameLength",
        "moran": "dilemma.populations:Moran",
        "replicator": "dilemma.populations:Replicator",
    },
    "guest": {
        "policies": "guest.studies:Policies",
    },
}
# These studies play no games; they read logs from folders.
LOG_STUDIES = {
    "deliberations": "deliberations.findings:VotesInLogs",
    "plans": "deliberations.findings:PlansInLogs",
}


def study_class(game: str, name: str) -> "type[AnyStudy]":
    """Return the class of the study `name` of `game`; raise KeyError if there is none."""
    study: type[AnyStudy] = resolve_name(f"labs.{STUDIES[game][name]}")
    return study


def log_study(game: str) -> "type[AnyLogStudy]":
    """Return the class of the study that reads logs of `game`; raise KeyError if there is none."""
    study: type[AnyLogStudy] = resolve_name(f"labs.{LOG_STUDIES[game]}")
    return study
