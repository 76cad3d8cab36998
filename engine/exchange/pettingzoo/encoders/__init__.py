"""Encoders of policies' observations and actions, one for each game."""

from collections.abc import Mapping
from pkgutil import resolve_name

from engine.exchange.pettingzoo.encoders.encoder import Encoder
from protocol.suggest import one_of

ENCODERS: Mapping[str, str] = {
    "conversation": "conversation:ConversationEncoder",
    "deliberations": "deliberations:DeliberationsEncoder",
    "dilemma": "dilemma:DilemmaEncoder",
    "guest": "guest:GuestEncoder",
    "talks": "talks:TalksEncoder",
}


def encoder_for(game: str) -> type[Encoder]:
    """Return the encoder class of a game; raise ValueError if it has none."""
    path = ENCODERS[one_of(game, ENCODERS, "game for policies")]
    encoder: type[Encoder] = resolve_name(f"{__name__}.{path}")
    return encoder
