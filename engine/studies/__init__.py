"""The studies: by game, then by name; each is imported when it is first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.studies.study import AnyStudy

STUDIES: dict[str, dict[str, str]] = {
    "conversation": {
        "length": "conversation:Length",
        "players": "conversation:Players",
        "random": "conversation:Random",
        "selfish": "conversation_selfish:Selfish",
        "patterns": "conversation:Emergent",
        "selfplay": "conversation_selfplay:SelfPlay",
        "tournament": "conversation_contests:Tournament",
        "train": "conversation_contests:Train",
    },
    "dilemma": {
        "ranks": "dilemma:Ranks",
        "elimination": "dilemma:Elimination",
        "noise": "dilemma:Noise",
        "length": "dilemma:Length",
        "moran": "dilemma_evolution:Moran",
        "replicator": "dilemma_evolution:Replicator",
    },
    "guest": {
        "policies": "guest_policies:Policies",
    },
}


def study_class(game: str, name: str) -> "type[AnyStudy]":
    """Return the study `name` of `game`."""
    module, _, study = STUDIES[game][name].partition(":")
    found: type[AnyStudy] = getattr(import_module(f"engine.studies.{module}"), study)
    return found
