"""Each agent's seats: those that it has taken, and people's seats in games that it began."""

from dataclasses import dataclass, field, replace

from engine.server.keys import Caller, Grant, Keys
from engine.server.web.limits import keep_last
from engine.server.web.refusal import Refusal
from engine.server.web.rights import seats_of

# How many callers, and seats per caller, are remembered; a seat's key reopens a forgotten seat.
MOST_AGENTS = 1000
MOST_CHAIRS = 1000
MOST_NAMES = 10
SIT_DOWN = "take_seat(game, player, key) seats you"


@dataclass
class Chair:
    """A seat that an agent may answer for; `key` opened it ("" if no key was needed).

    `last_sent` is the index of the last event sent, and `is_over` shows whether the agent has seen
    the game's end.
    """

    game: str
    player: str
    key: str = ""
    last_sent: int = -1
    is_taken: bool = False
    is_over: bool = False

    @property
    def name(self) -> str:
        """The seat as text, such as "Ada in gameplay_1"."""
        return f"{self.player} in {self.game}"


@dataclass
class Chairs:
    """One caller's chairs by game and player, in the order in which they were last added."""

    held: dict[tuple[str, str], Chair] = field(default_factory=dict)

    def add(self, game: str, player: str, *, is_taken: bool, key: str = "") -> Chair:
        """Add a seat to the caller's chairs, if it is new, and return its chair."""
        chair = self.held.get((game, player)) or Chair(game, player, key)
        chair.is_taken = chair.is_taken or is_taken
        keep_last(self.held, (game, player), chair, MOST_CHAIRS)
        return chair

    def find(self, game: str, player: str) -> Chair:
        """Return the caller's chair for `game` and `player`; "" matches any game or player.

        A chair that the caller has not taken matches only if `player` names it. Taken chairs and
        unfinished games take precedence. Raises Refusal if no chair matches, or if several match in
        unfinished games.
        """
        chairs = self._chairs_meant(game, player)
        likely = [chair for chair in chairs if chair.is_taken] or chairs
        unfinished = [chair for chair in likely if not chair.is_over]
        if len(unfinished) > 1:
            names = ", ".join(chair.name for chair in unfinished[:MOST_NAMES])
            raise Refusal(409, f"you have several seats: say which game and player of {names}")
        return (unfinished or likely)[-1]

    def _chairs_meant(self, game: str, player: str) -> list[Chair]:
        chairs = []
        for chair in self.held.values():
            is_meant = player == chair.player or (not player and chair.is_taken)
            if game in ("", chair.game) and is_meant:
                chairs.append(chair)
        if not chairs:
            where = f" as {player!r:.80}" if player else ""
            where += f" in {game!r:.80}" if game else ""
            raise Refusal(403, f"you have no seat{where}: {SIT_DOWN}")
        return chairs


class Room:
    """The chairs of all callers; the least recently seen caller is forgotten first."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._chairs: dict[str, Chairs] = {}

    def chairs_of(self, caller: Caller) -> Chairs:
        """Return a caller's chairs; first add its keys' seats and drop chairs with invalid keys."""
        chairs = self._chairs.get(caller.label) or Chairs()
        keep_last(self._chairs, caller.label, chairs, MOST_AGENTS)
        for seat, chair in [*chairs.held.items()]:
            if chair.key and self._keys.bearer(chair.key) is None:
                del chairs.held[seat]
        for grant in caller.grants:
            if grant.seat and (grant.game, grant.seat) not in chairs.held:
                chairs.add(grant.game, grant.seat, is_taken=True)
        return chairs


def with_seat(caller: Caller, chair: Chair) -> Caller:
    """Return the caller with the right to answer for the chair."""
    grant = Grant(chair.game, seat=chair.player)
    return replace(caller, grants=(*caller.grants, grant))


def chair_of_key(caller: Caller, keys: Keys, key: str, game: str, player: str) -> Chair:
    """Return the chair that a key, or a link containing one, opens.

    Raises Refusal if the key opens no seat, or a seat other than the named one. A caller that only
    watches is also refused, because all callers with its watch link would share the chair.
    """
    if not caller.host and not any(grant.seat for grant in caller.grants):
        raise Refusal(
            403, "a watcher has no seat: send the key of the seat as Authorization: Bearer ..."
        )
    behind = key.strip().rpartition("key=")[2]
    opened = keys.bearer(behind)
    if opened is None or not opened.grants:
        raise Refusal(
            401, "expected the key of a seat, as begin returned it, or the whole link of a seat"
        )
    (grant,) = opened.grants
    if not seats_of(opened, grant.game):
        raise Refusal(403, "this key only watches: expected the key of a seat")
    if game not in ("", grant.game):
        raise Refusal(
            403, f"this key is for another game: expected the key of a seat in {game:.80}"
        )
    if player not in ("", grant.seat):
        raise Refusal(403, f"this key is for {grant.seat}: expected the key of {player:.80}")
    return Chair(grant.game, grant.seat, behind)
