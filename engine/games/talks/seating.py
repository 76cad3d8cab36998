"""The seats of a talk: its participants and any host, by their players' names."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, field_validator

from engine.games.talks.archetypes import Gender, PersonalityArchetype, roles_for
from engine.games.talks.host.parts import Hosting
from engine.games.talks.settings import Participant, distinct, seat_name
from protocol.text import one_line

HOST = "Hanna"


class Host(Participant):
    """The host, which leads a talk and takes no side; without a name, it has the last seat."""

    name: str = ""
    gender: Gender = Gender.NON_BINARY
    personality: PersonalityArchetype = PersonalityArchetype.COLLABORATIVE

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if value and not seat_name(value):
            raise ValueError(f"expected a host's name: got {value!r:.80}")
        return one_line(value)

    @field_validator("core_beliefs")
    @classmethod
    def _refuse_beliefs(cls, beliefs: tuple[str, ...]) -> tuple[str, ...]:
        if beliefs:
            raise ValueError("expected a host without core_beliefs: it takes no side")
        return beliefs


def read_host(value: object) -> object:
    """Read a host's description, name, or true; return None if the setting asks for no host."""
    if value is None or isinstance(value, bool):
        return {} if value else None
    if isinstance(value, str):
        return {"name": value or " "}
    if isinstance(value, Mapping | Host):
        return value
    raise ValueError(f"expected host to be true, a name, or {{name: {HOST}}}: got {value!r:.60}")


HostSetting = Annotated[
    Host | None,
    BeforeValidator(read_host, json_schema_input_type=bool | str | dict[str, Any] | None),
]
People = Sequence[Participant]


def seat_names(participants: People, host: Host | None) -> tuple[str, ...]:
    """Return the players that the participants and host require, or () if any players can play."""
    names = tuple(participant.seat for participant in participants)
    if not names or host is None:
        return names
    called = host.seat or distinct([*names, HOST])[-1]
    return names if _same_seat(called, names) else (*names, called)


def attendance_of(
    participants: People, host: Host | None, player_ids: Sequence[str]
) -> tuple[dict[str, Participant], Hosting | None]:
    """Return each player's participant, from the config or the cast, and any host.

    Raises ValueError if the players do not match the settings.
    """
    named = seat_names(participants, host)
    if named and {*named} != {*player_ids}:
        raise ValueError(_names_expected(named, participants, player_ids))
    leader = _leader_among(named or player_ids, host)
    described = {participant.seat: participant for participant in participants}
    roles = roles_for(_talkers_beside(leader, player_ids))
    people = {
        role.name: described.get(role.name) or Participant(**role._asdict()) for role in roles
    }
    if host is None:
        return people, None
    by_name = host if host.name else host.model_copy(update={"name": leader})
    return people, Hosting(leader, described.get(leader) or by_name, tuple(player_ids))


def _names_expected(named: Sequence[str], participants: People, player_ids: Sequence[str]) -> str:
    beside = " (the host)" if len(named) > len(participants) else ""
    return (
        f"expected players with the participants' names, {', '.join(named)}{beside}: got "
        f"{', '.join(player_ids)}"
    )


def _talkers_beside(leader: str, player_ids: Sequence[str]) -> list[str]:
    talkers = [player_id for player_id in player_ids if player_id != leader]
    if len(talkers) < 2:
        beside = " beside the host" if leader else ""
        raise ValueError(f"expected at least two participants{beside}: got {len(talkers)}")
    return talkers


def _leader_among(seats: Sequence[str], host: Host | None) -> str:
    """Return the host's seat, or "" without a host; raise ValueError if no player has that seat."""
    if host is None:
        return ""
    leader = _same_seat(host.seat, seats) if host.name else seats[-1]
    if not leader:
        raise ValueError(
            f"expected the host, {host.seat}, to be one of the players: got {', '.join(seats)}"
        )
    return leader


def _same_seat(name: str, seats: Sequence[str]) -> str:
    """Return the seat called `name`, ignoring case, or "" if there is none."""
    return next((seat for seat in seats if seat.casefold() == name.casefold()), "")
