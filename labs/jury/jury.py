"""Ask every juror of every finished final again, with one change at a time.

Each answer is recorded before it is used, so a jury resumes without repeating a recorded call.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, cast

from client_factory import ClientConfig, ClientFactory
from engine.config import GameEngineConfig
from engine.history import History, history_from_json
from engine.record.files import read_regular
from engine.record.journal import Unrecorded, utc_now
from engine.spending.budget import Limits, Meter, MeteredClient, check_prices, seat_of
from labs.jury.final import CHANGES, FINALISTS, Change, Final, Hearing, Unplayable, recall
from labs.jury.record import Gap, JuryRecord, Opinion
from player import LLMPlayer, Player, PlayerConfig, Reply, Untaped
from protocol.forms import SeatForm

CONCURRENCY = 8


@dataclass(frozen=True)
class Case:
    """One finished game.

    `config` includes the secrets of its seats, and `entrants` maps players to their entrants.
    """

    number: int
    log: Path
    sha256: str
    config: GameEngineConfig
    entrants: Mapping[str, str]

    def seat(self, player_id: str) -> PlayerConfig:
        """Return the config of a seat."""
        return next(
            player for player in self.config.player_configs if player.player_id == player_id
        )

    def read(self) -> History:
        """Return the game; raise Unplayable if its log is missing or has changed."""
        try:
            content = read_regular(self.log)
        except OSError as error:
            raise Unplayable(f"its log cannot be read: {error.strerror}") from None
        if sha256(content).hexdigest() != self.sha256:
            raise Unplayable("its log is not the one that the ledger records")
        return history_from_json(content)


class Jury:
    """Asks the jurors of many finals again, `concurrency` finals at a time.

    `limits` bounds the total spending, including that of earlier runs. With `offline`, only scripts
    are asked, and `waiting` counts the questions left for models.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        record: JuryRecord,
        *,
        changes: Sequence[Change] = CHANGES,
        limits: Limits | None = None,
        concurrency: int = CONCURRENCY,
        offline: bool = False,
        factory: ClientFactory | None = None,
        watch: Callable[["Jury"], None] | None = None,
    ) -> None:
        """Create all clients; raise ValueError if a setting, key or price is missing or invalid."""
        if concurrency < 1:
            raise ValueError(f"expected concurrency to be at least 1: got {concurrency}")
        self.cases = cases
        self.record = record
        self.changes = changes
        self.concurrency = concurrency
        self.offline = offline
        self.factory = factory or ClientFactory()
        self.watch = watch
        self.waiting = 0
        seats = {} if offline else model_seats(cases)
        self.meter = new_meter(limits or Limits(), seats, record)
        self.clients = {entrant: self._client(entrant, seat) for entrant, seat in seats.items()}

    @property
    def questions(self) -> int:
        """The total number of questions, including any that are left out."""
        jurors = sum(len(case.entrants) - FINALISTS for case in self.cases)
        return jurors * len(self.changes)

    async def ask(self) -> None:
        """Ask the questions that are not answered yet.

        Records pending calls before it raises BudgetReached or FatalError.
        """
        self.meter.start()
        places = asyncio.Semaphore(self.concurrency)
        try:
            await gather_all(self._hear(case, places) for case in self.cases)
        finally:
            self.record.journal.close()
            await self.factory.aclose()

    def interrupt(self) -> None:
        """Ask no more questions; calls under way are still answered and recorded."""
        self.record.journal.closing = True

    @property
    def interrupted(self) -> bool:
        """Whether asking was interrupted."""
        return self.record.journal.closing

    async def _hear(self, case: Case, places: asyncio.Semaphore) -> None:
        async with places:
            if self.interrupted:
                return
            try:
                log = case.read()
                await self._hear_final(case, Final(log, await recall(log)))
            except Unplayable as error:
                self.record.leave_out(Gap(case.number, str(error)))
            except Unrecorded:
                return

    async def _hear_final(self, case: Case, final: Final) -> None:
        answers = []
        for question in final.questions(self.changes):
            juror = case.entrants[question.juror]
            if isinstance(question, Hearing):
                answers.append(self._answer(case, juror, question))
            else:
                gap = Gap(case.number, question.why, juror, question.change)
                self.record.leave_out(gap)
        await gather_all(answers)

    async def _answer(self, case: Case, juror: str, hearing: Hearing) -> None:
        if (case.number, juror, hearing.change.name) in self.record.heard:
            return
        if self.offline and not hearing.player.config.computed:
            self.waiting += 1
            return
        try:
            reply = await self._decide(case, hearing, juror)
        except Unrecorded:
            raise
        except BaseException:
            # Ask nothing more; calls under way are still recorded.
            self.interrupt()
            raise
        self.record.note(_opinion_of(case.number, juror, hearing, reply))
        if self.watch is not None:
            self.watch(self)

    async def _decide(self, case: Case, hearing: Hearing, juror: str) -> Reply[Any]:
        """Return the juror's answer to the question in `hearing`."""
        kind = hearing.player.config.kind
        if kind.asks == "model":
            return await self._ask_model(case, hearing, juror)
        if not kind.computed:
            return await hearing.player.decide(hearing.turn, Untaped())
        script = with_same_luck(hearing.player)
        seen = hearing.turn.observation
        options = PlacedName.listed(seen.options, turned=hearing.change.turned)
        placed = hearing.turn._replace(observation=replace(seen, options=options))
        return await script.decide(placed, Untaped())

    async def _ask_model(self, case: Case, hearing: Hearing, juror: str) -> Reply[Any]:
        player = cast("LLMPlayer", hearing.player)
        seat = case.seat(hearing.juror)
        asked = LLMPlayer(seat, self.clients[juror], player.asks)
        # A juror's answers so far determine how the juror is asked.
        asked.form = SeatForm(player.form.now, player.form.allowed)
        asked.thinks = player.thinks
        tape = self.record.journal.tape(case.number, hearing.number, juror)
        return await asked.decide(hearing.turn, tape)

    def _client(self, entrant: str, seat: PlayerConfig) -> MeteredClient:
        wanted = ClientConfig.for_player(
            seat.provider, seat.model, seat.api_key, seat.client_kwargs
        )
        client = self.factory.get(wanted)
        return MeteredClient(client, self.meter, metered_seat(entrant, seat))


def _opinion_of(number: int, juror: str, hearing: Hearing, reply: Reply[Any]) -> Opinion:
    """Return an answer as the record stores it, with the chosen finalist or the last fault."""
    chosen = None if reply.fell_back else hearing.meant(reply.answer.vote)
    fault = str(reply.attempts[-1].fault) if reply.fell_back and reply.attempts else ""
    change = hearing.change.name
    return Opinion(number, juror, change, hearing.listed, hearing.voted, chosen, fault)


def model_seats(cases: Sequence[Case]) -> dict[str, PlayerConfig]:
    """Return, for each entrant that is a language model, one of its seats."""
    seats: dict[str, PlayerConfig] = {}
    for case in cases:
        for seat in case.config.player_configs:
            entrant = case.entrants[seat.player_id]
            if seat.kind.asks == "model":
                seats.setdefault(entrant, seat)
    return seats


def new_meter(limits: Limits, seats: Mapping[str, PlayerConfig], record: JuryRecord) -> Meter:
    """Return a meter that includes the recorded calls; raise ValueError for an unknown price."""
    metered = {entrant: metered_seat(entrant, seat) for entrant, seat in seats.items()}
    check_prices(limits, metered)
    meter = Meter(limits, utc_now)
    meter.resume(record.journal.recorded, metered)
    return meter


def metered_seat(entrant: str, seat: PlayerConfig) -> dict[str, Any]:
    """Return a seat for the meter, with the entrant as its id, since an entrant has many seats."""
    return seat_of(seat) | {"player_id": entrant}


async def gather_all(tasks: Iterable[Awaitable[None]]) -> None:
    """Run all tasks to the end; then raise the first error, preferably not an `Unrecorded`."""
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    faults = [end for end in ends if end is not None]
    if faults:
        raise min(faults, key=lambda fault: isinstance(fault, Unrecorded))


class PlacedName(str):
    """A name with its place in the list that the voter read in the game."""

    __slots__ = ("place",)
    place: int

    @classmethod
    def listed(cls, names: Iterable[str], *, turned: bool) -> tuple[Self, ...]:
        """Return `names` with their places; if `turned`, the game listed them in reverse."""
        placed = [cls(name) for name in names]
        for place, name in enumerate(reversed(placed) if turned else placed):
            name.place = place
        return tuple(placed)


class SameLuck(random.Random):
    """A random stream that draws the same names as in the game, even if the list is reversed.

    A script that takes the first name in a list depends on the list's order. A script that draws at
    random should not, but a draw normally picks a place in the list. Here, it picks the name that
    had this place in the game. Only `choice`, which the games' scripts use, works this way.
    """

    def choice(self, seq: Any) -> Any:
        """Return one of `seq`; a list of placed names is first put back in the game's order."""
        if {*map(type, seq)} == {PlacedName}:
            seq = sorted(seq, key=attrgetter("place"))
        return super().choice(seq)


def with_same_luck(player: Player) -> Player:
    """Return a copy of a computed player whose draws do not advance the player's own stream."""
    twin = copy(player)
    drawn: random.Random | None = getattr(player, "rng", None)
    if drawn is not None:
        rng = SameLuck()
        rng.setstate(drawn.getstate())
        vars(twin)["rng"] = rng
    return twin
