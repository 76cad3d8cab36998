"""Who sits at a talk: its participants, and its host if it has one, by the names of players."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, field_validator

from engine.games.talks.archetypes import Gender, PersonalityArchetype, roles_for
from engine.games.talks.settings import Participant, distinct, on_one_line, seat_name

HOST = "Hanna"


class Host(Participant):
    """Who leads through a talk and takes no side; without a name it is one seat more."""

    name: str = ""
    gender: Gender = Gender.NON_BINARY
    personality: PersonalityArchetype = PersonalityArchetype.COLLABORATIVE

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if value and not seat_name(value):
            raise ValueError(f"expected a host's name: got {value!r:.80}")
        return on_one_line(value)

    @field_validator("core_beliefs")
    @classmethod
    def _refuse_beliefs(cls, beliefs: tuple[str, ...]) -> tuple[str, ...]:
        if beliefs:
            raise ValueError("expected a host without core_beliefs: it takes no side")
        return beliefs

    def called(self, name: str) -> "Host":
        """Return the host by its name, or by this one if it has none."""
        return self if self.name else self.model_copy(update={"name": name})


def read_host(value: object) -> object:
    """Return the description of a host from one, from its name, or from whether there is one."""
    if value is None or value is False:
        return None
    if value is True:
        return {}
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


class Attendance(NamedTuple):
    """Who takes part, by player in seat order; `lead` is who the player `host` is."""

    people: dict[str, Participant]
    host: str = ""
    lead: Participant | None = None


def seat_names(participants: People, host: Host | None) -> tuple[str, ...]:
    """Return the players that described participants and their host need; empty: any may play.

    The host is the participant of the same name, or else sits last.
    """
    names = tuple(one.seat for one in participants)
    if not names or host is None:
        return names
    called = host.seat or distinct([*names, HOST])[-1]
    if _same_seat(called, names):
        return names
    return (*names, called)


def _talkers_without(leader: str, player_ids: Sequence[str]) -> list[str]:
    talkers = [one for one in player_ids if one != leader]
    if len(talkers) < 2:
        beside = " beside the host" if leader else ""
        raise ValueError(f"expected at least two participants{beside}: got {len(talkers)}")
    return talkers


def _people_at(
    talkers: Sequence[str], described: Mapping[str, Participant]
) -> dict[str, Participant]:
    roles = zip(talkers, roles_for(tuple(talkers)), strict=True)
    return {one: described.get(one) or Participant(**role._asdict()) for one, role in roles}


def attendance_of(participants: People, host: Host | None, player_ids: Sequence[str]) -> Attendance:
    """Return who each player is: as described, else of the cast; ValueError if that cannot be."""
    named = seat_names(participants, host)
    if named:
        _check_names(named, len(participants), player_ids)
    leader = _host_among(host, named or player_ids)
    talkers = _talkers_without(leader, player_ids)
    described = {one.seat: one for one in participants}
    people = _people_at(talkers, described)
    if host is None:
        return Attendance(people)
    lead = described.get(leader) or host.called(leader)
    return Attendance(people, leader, lead)


def _check_names(named: Sequence[str], talkers: int, player_ids: Sequence[str]) -> None:
    """Raise ValueError unless the players are called as the settings say."""
    if {*named} == {*player_ids}:
        return
    host = " (the host)" if len(named) > talkers else ""
    raise ValueError(
        f"expected players called as the participants are, {', '.join(named)}{host}: "
        f"got {', '.join(player_ids)}"
    )


def _host_among(host: Host | None, seats: Sequence[str]) -> str:
    """Return which of the `seats` is the host's, "" without one; one without a name sits last."""
    if host is None:
        return ""
    if not host.name:
        return seats[-1]
    found = _same_seat(host.seat, seats)
    if not found:
        raise ValueError(
            f"expected the host, {host.seat}, to be one of the players: got {', '.join(seats)}"
        )
    return found


def _same_seat(name: str, seats: Sequence[str]) -> str:
    """Return the seat that is called `name`, in any case of letters; "" if there is none."""
    return next((seat for seat in seats if seat.casefold() == name.casefold()), "")
