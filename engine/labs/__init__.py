"""The studies: by game, then by name; each is imported when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.labs.study import AnyStudy

STUDIES: dict[str, dict[str, str]] = {
    "conversation": {
        "length": "conversation.studies:ByLength",
        "players": "conversation.studies:ByPlayers",
        "random": "conversation.studies:ByRandomPlayers",
        "selfish": "conversation.selfish:Selfish",
        "patterns": "conversation.studies:Emergent",
        "selfplay": "conversation.alone:SelfPlay",
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


def study_class(game: str, name: str) -> "type[AnyStudy]":
    """Return the study `name` of `game`; KeyError if there is none."""
    module, _, study = STUDIES[game][name].partition(":")
    found: type[AnyStudy] = getattr(import_module(f"engine.labs.{module}"), study)
    return found
