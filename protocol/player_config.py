"""The config of a seat: its player's name, its character, and who answers."""

import os
from pathlib import Path
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from protocol.names import check_name
from protocol.seats import SeatKind, seat_kind
from providers import DEFAULT_PROVIDER, PROVIDERS
from providers.gguf import is_small_file
from providers.settings import KEY_VARIABLE


class PlayerConfig(BaseModel):
    """A seat: its player's name, its character, and who answers.

    `provider` is a name in `providers.PROVIDERS`, "human", "scripted" (`model` names a strategy of
    the game) or "trained" (`model` is the path of a policy trained for the game). `api_key` falls
    back to the provider's environment variable and is never dumped. `client_kwargs` go to the
    model's client. `api_key_env`, the name of another variable with the key, can be set there or
    next to `api_key`. A `small` model gets shorter and plainer prompts; None means the provider's
    default. Reading a config opens no file, so the size of a weights file is read only when its
    seat is taken (`with_size`). `draws` other than 0 selects another random stream for a script.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    player_id: str
    character_prompt: str = ""
    provider: str = DEFAULT_PROVIDER
    model: str = ""
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    client_kwargs: dict[str, Any] = Field(default_factory=dict, repr=False)
    small: bool | None = None
    draws: int = Field(default=0, ge=0, exclude_if=lambda number: number == 0)

    @property
    def kind(self) -> SeatKind:
        """The kind of this seat, a row of `protocol.seats.SEATS`."""
        return seat_kind(self.provider)

    @property
    def reader(self) -> str:
        """The templates this seat reads: "small", "people", or "" for the default ones."""
        if self.kind.asks == "person":
            return "people"
        return "small" if self.small else ""

    @property
    def computed(self) -> bool:
        """Whether this seat's answers are computed deterministically, and so never recorded."""
        return self.kind.computed

    @field_validator("player_id")
    @classmethod
    def _check_name(cls, name: str) -> str:
        return check_name(name)

    @field_validator("model")
    @classmethod
    def _check_model(cls, model: str) -> str:
        if not model.isprintable():
            raise ValueError(
                f"expected model to be a name in visible characters: got {model!r:.80}"
            )
        return model

    @model_validator(mode="before")
    @classmethod
    def _settle(cls, config: object) -> object:
        """Record the provider's current defaults, since they may change.

        The name of the key's variable moves into the client's settings.
        """
        if not isinstance(config, dict):
            return config
        row = PROVIDERS.get(str(config.get("provider", DEFAULT_PROVIDER)))
        settled = dict(config)
        if KEY_VARIABLE in settled:
            kwargs = settled.get("client_kwargs") or {}
            settled["client_kwargs"] = {**kwargs, KEY_VARIABLE: settled.pop(KEY_VARIABLE)}
        if row is not None:
            settled["model"] = config.get("model") or row.default_model
        is_file = row is not None and row.takes_files and settled["model"] != row.default_model
        if config.get("small") is None and not is_file:
            settled["small"] = row is not None and row.small
        return settled

    def with_size(self) -> Self:
        """Return this seat with `small` set from the size of any weights file that it names."""
        if self.small is not None:
            return self
        # Unlike Path's own method, this accepts the name of a user who does not exist.
        path = Path(os.path.expanduser(self.model))
        return self.model_copy(update={"small": is_small_file(path)})
