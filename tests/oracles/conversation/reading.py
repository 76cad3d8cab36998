"""What the checks read in a conversation's log: each player's items, and each turn's result."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.games.conversation.payloads import BankItem, ProposalData, SetupData, SpeechData
from engine.games.conversation.rules import TOPICS
from engine.history import Event, History, RoundLog, payload_of
from engine.rng import stream
from tests.oracles.reading import events_of, ids_of, setting_of

Items = Mapping[str, BankItem]


class SpokenItem(NamedTuple):
    """An item that was spoken, and whether it had been spoken in an earlier turn of this game."""

    item: BankItem
    again: bool

    @property
    def subjects(self) -> tuple[int, ...]:
        """Its subjects, numbers from 0."""
        return self.item.subjects


Line = list[SpokenItem | None]  # what was spoken, turn by turn; None is a pause


class LoggedTurn(NamedTuple):
    """One turn as logged: who proposed what, and the resulting speech or pause.

    `number` counts from 1. `item_id` is the item spoken, None for a pause.
    """

    number: int
    log: RoundLog
    proposals: dict[str, str | None]
    event: Event
    item_id: str | None

    @property
    def proposers(self) -> list[str]:
        """The players that proposed an item, in seat order."""
        return [player_id for player_id, item_id in self.proposals.items() if item_id is not None]


def logged_turns(history: History) -> list[LoggedTurn]:
    """Return the turns of a log; ValueError if a round is not a turn."""
    return [turn_in(log) for log in history.rounds]


def turn_in(log: RoundLog) -> LoggedTurn:
    """Return the turn of a round; ValueError unless it has one speech or pause."""
    proposals = {}
    for event in events_of(log, "proposal"):
        proposals[str(event.player_id)] = payload_of(event, ProposalData).item

    results = [*events_of(log, "speech"), *events_of(log, "pause")]
    if len(results) != 1:
        raise ValueError(
            f"round {log.round_index}: expected one speech or pause: got {len(results)}"
        )
    (result,) = results
    item_id = payload_of(result, SpeechData).item if result.kind == "speech" else None
    return LoggedTurn(log.round_index, log, proposals, result, item_id)


def spoken_line(history: History) -> Line:
    """Return the spoken items, turn by turn, as the seed deals them."""
    items = items_of(deal_again(history))
    spoken: set[str] = set()
    line: Line = []
    for turn in logged_turns(history):
        if turn.item_id is None:
            line.append(None)
        else:
            line.append(SpokenItem(items[turn.item_id], turn.item_id in spoken))
            spoken.add(turn.item_id)
    return line


def items_of(holdings: Mapping[str, SetupData]) -> Items:
    """Return all items by their ids."""
    items = {}
    for holding in holdings.values():
        for item in holding.bank:
            items[item.id] = item
    return items


def deal_again(history: History) -> dict[str, SetupData]:
    """Return what each player holds, drawn again from the seed and the settings alone.

    "Half of a player's B items are single-subject items, half are two-subject items": of an odd B
    the extra one has two; a coin may decide for each item instead. "Each item has an importance
    value drawn uniformly from [0,1]." "Each player receives a private random permutation (ranking)
    of the S subjects."
    """
    names = names_of_subjects(history)
    bank_size = setting_of(history, "bank_size")
    rng = stream(history.seed, "start")
    subjects = range(len(names))

    holdings = {}
    for player_id in ids_of(history):
        bank: list[BankItem] = []
        alone = [place < bank_size // 2 for place in range(bank_size)]
        if history.config["game"].get("composition") == "coin":
            alone = [rng.random() < 0.5 for _ in alone]
        for single in alone:
            own = [rng.choice(subjects)] if single else sorted(rng.sample(subjects, 2))
            item_id = f"{player_id}: {name_in_bank(own, names, bank)}"
            bank.append(BankItem(item_id, player_id, tuple(own), rng.random()))
        holdings[player_id] = SetupData(tuple(bank), tuple(rng.sample(subjects, len(names))))
    return holdings


def name_in_bank(own: list[int], names: list[str], bank: list[BankItem]) -> str:
    """Return the name of an item of subjects `own` that comes after those in the `bank`."""
    name = " & ".join([names[subject] for subject in own])
    alike = [item for item in bank if [*item.subjects] == own]
    return f"{name} ({len(alike) + 1})" if alike else name


def names_of_subjects(history: History) -> list[str]:
    """Return the names of the subjects: the settings' own, or the first of the built-in ones."""
    setting = setting_of(history, "subjects")
    if not isinstance(setting, int):
        return [*setting]
    names = []
    for number in range(setting):
        lap, place = divmod(number, len(TOPICS))
        names.append(f"{TOPICS[place]} {lap + 1}" if lap else TOPICS[place])
    return names


def name_for_owner(item_id: str) -> str:
    """Return an item's name without its owner, as the owner calls it."""
    return item_id.partition(": ")[2]
