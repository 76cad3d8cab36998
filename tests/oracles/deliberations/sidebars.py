"""The rules of sidebars, checked on a log: who begins them, who pairs up, who speaks when."""

from collections.abc import Iterable, Iterator

from engine.history import Event, History, RoundLog, payload_of
from engine.history.social import Agreement, Invitation, Pairing, Preferences, SpeechTo
from engine.round_phases.forms import NOBODY, RANKS
from protocol.answer import last_object
from protocol.turn import Attempt
from tests.oracles.deliberations.pairs import Members, check_pairs, draw_pairs, members_in
from tests.oracles.deliberations.reading import (
    SeededDraw,
    answers_invitation,
    bare_name,
    begins_sidebar,
    is_message,
    others_in_game,
    ranks_partners,
    setting_in,
    tells_pairing,
)
from tests.oracles.reading import breach_at, breach_in, events_of

Message = tuple[str | None, str | None]  # who speaks, and to whom


def check_sidebars(history: History) -> Iterator[str]:
    """Check who begins sidebars, who pairs up, how it is shown, and who speaks when."""
    for log in history.rounds:
        if not events_of(log, "sidebar"):
            continue
        yield from check_hosts(history, log)
        yield from check_lines(history, log)
        yield from check_turns(history, log)
        for part in by_exchange(log) if is_by_rank(history, log) else []:
            yield from check_pairs(log, part)


def check_hosts(history: History, log: RoundLog) -> Iterator[str]:
    """Check that each player picks a partner, or ranks the others, once in each exchange."""
    due = [sorted(log.active_player_ids)] * setting_in(history, "exchanges", log.round_index)
    openings = [[event for event in part if opens_exchange(event)] for part in by_exchange(log)]
    found = [sorted(str(event.player_id) for event in part) for part in openings]
    if found != due:
        yield breach_in(log, f"players to begin sidebars, by exchange, {due}: got {found}")


def check_lines(history: History, log: RoundLog) -> Iterator[str]:
    """Check who is picked or ranked, and how everything except messages is shown."""
    for event in events_of(log, "sidebar"):
        if is_message(event):
            continue
        if opens_exchange(event):
            yield from check_choice(history, log, event)
        line = line_due(history, event)
        if event.content != line:
            yield breach_at(event, f"{line!r}: got {event.content!r}")


def is_by_rank(history: History, log: RoundLog) -> bool:
    """Return whether a round makes pairs by ranking; finalists that see jurors pick instead."""
    by_rank = setting_in(history, "pairing") == "ranking"
    return by_rank and not sees_jurors(history, log)


def sees_jurors(history: History, log: RoundLog) -> bool:
    """Return whether jurors may be taken aside in a round."""
    return log.final_round and setting_in(history, "jurors_aside")


def opens_exchange(event: Event) -> bool:
    """Return whether an event is one player's pick or ranking."""
    return begins_sidebar(event) or ranks_partners(event)


def by_exchange(log: RoundLog) -> list[list[Event]]:
    """Return the sidebars of a round by exchange: in each, every active player has one opening."""
    size = max(1, len(log.active_player_ids))
    parts: list[list[Event]] = []
    begun = 0
    for event in events_of(log, "sidebar"):
        if opens_exchange(event):
            if begun % size == 0:
                parts.append([])
            begun += 1
        if parts:
            parts[-1].append(event)
    return parts


def company_for(history: History, log: RoundLog, player_id: str) -> list[str]:
    """Return whom a player may take aside: others in the game, and jurors if so set."""
    others = others_in_game(log, player_id)
    return [*others, *log.eliminated_player_ids] if sees_jurors(history, log) else others


def check_choice(history: History, log: RoundLog, event: Event) -> Iterator[str]:
    """Check that a player picks or ranks, as set, only others on offer, once each."""
    by_rank = is_by_rank(history, log)
    if ranks_partners(event) != by_rank:
        way = "a ranking" if by_rank else "a pick"
        yield breach_at(event, f"{way} of partners: got {event.content!r}")
        return
    names = partners_in(event)
    yield from check_on_offer(history, log, event, names)
    if by_rank:
        yield from check_written(event, names)


def check_on_offer(
    history: History,
    log: RoundLog,
    event: Event,
    names: list[str],
) -> Iterator[str]:
    """Check that those whom a player picks or ranks are on offer, each once."""
    legal = company_for(history, log, str(event.player_id))
    unique = {*names}
    strangers = unique - {*legal}
    if len(unique) < len(names) or strangers:
        yield breach_at(event, f"each of {legal} once at most: got {names}")


def partners_in(event: Event) -> list[str]:
    """Return whom a player picks or ranks."""
    if ranks_partners(event):
        return [*payload_of(event, Preferences).ranking]
    partner = payload_of(event, Invitation).partner
    return [partner] if partner else []


def line_due(history: History, event: Event) -> str:
    """Return how a sidebar event without a player's own words must be shown."""
    if tells_pairing(event):
        return pairing_line(event)
    if answers_invitation(event):
        agreement = payload_of(event, Agreement)
        answer = "accepts" if agreement.accepts else "declines"
        return f"{answer} the talk with {agreement.to}"
    names = ", ".join(partners_in(event)) or NOBODY
    if ranks_partners(event):
        return f"ranks {names}"
    verb = "asks" if setting_in(history, "decline") else "takes"
    return f"{verb} {names} aside"


def pairing_line(event: Event) -> str:
    """Return how two must be told that they talk, or one that it stays alone."""
    first, *others = payload_of(event, Pairing).members
    if not others:
        return f"{first} has no talk this time."
    return f"{first} and {others[0]} talk in private; {first} begins."


def check_written(event: Event, names: list[str]) -> Iterator[str]:
    """Check that a ranking is the one that was answered, and that no answer ranks nobody."""
    if event.fell_back and names:
        yield breach_at(event, f"nobody to be ranked where nothing legal came: got {names}")
    if not event.attempts or event.fell_back:
        return
    ranks = RANKS[: len(payload_of(event, Preferences).candidates)]
    written = ranking_written(event.attempts[-1], ranks)
    if not are_names_written(names, written):
        yield breach_at(event, f"the ranking answered, {written}: got {names}")


def are_names_written(names: list[str], written: list[str]) -> bool:
    """Return whether a ranking has these names; each may be followed by a remark."""
    if len(written) != len(names):
        return False
    pairs = zip(names, written, strict=True)
    return all(answer.startswith(bare_name(name)) for name, answer in pairs)


def ranking_written(attempt: Attempt, ranks: Iterable[str]) -> list[str]:
    """Return the bare names of a ranking up to "nobody", each once, read from its raw text."""
    answer = last_object(attempt.text) or {}
    written: dict[str, None] = {}
    for rank in ranks:
        name = bare_name(str(answer.get(rank, NOBODY)))
        if name == NOBODY:
            break
        written[name] = None
    return [*written]


def check_pair_lots(history: History, log: RoundLog) -> Iterator[str]:
    """Check by the seed which pair is taken out if several cost the same."""
    if not is_by_rank(history, log):
        return
    for exchange, part in enumerate(by_exchange(log), 1):
        found, _ = members_in(part)
        due = draw_pairs(history, log, exchange, part)
        if found != due:
            yield breach_in(log, f"the pairs, as the seed draws, to be {due}: got {found}")


def sidebar_draws(history: History, log: RoundLog) -> Iterator[SeededDraw]:
    """Yield the draws of the orders in which players begin sidebars and read their options."""
    for exchange, part in enumerate(by_exchange(log), 1):
        openings = [event for event in part if opens_exchange(event)]
        yield SeededDraw(
            what="the order of the sidebars",
            found=[str(event.player_id) for event in openings],
            pool=[*log.active_player_ids],
            labels=("permuted", "sidebars", exchange),
        )
        for event in openings:
            yield partner_order(history, log, exchange, event)


def partner_order(history: History, log: RoundLog, exchange: int, event: Event) -> SeededDraw:
    """Return the draw of the order in which a player read whom it may talk to."""
    host = str(event.player_id)
    form: type[Preferences | Invitation] = Preferences if ranks_partners(event) else Invitation
    return SeededDraw(
        what=f"the partners of {host}",
        found=[*payload_of(event, form).candidates],
        pool=company_for(history, log, host),
        labels=("permuted", "partners", exchange, host),
    )


def check_turns(history: History, log: RoundLog) -> Iterator[str]:
    """Check that the two of each sidebar speak in turn, `messages` times, if both want to."""
    messages = setting_in(history, "messages", log.round_index)
    for aside in asides_in(events_of(log, "sidebar")):
        opening, *answers = aside
        found = [(event.player_id, hearer_of(event)) for event in answers]
        due = turns_due(history, aside, messages)
        if found != due:
            yield breach_at(opening, f"two players to speak in turn, {due}: got {found}")


def asides_in(events: list[Event]) -> list[list[Event]]:
    """Return each opening, ranking or pairing with the events that follow it, up to the next."""
    talks: list[list[Event]] = [[]]
    for event in events:
        if opens_exchange(event) or tells_pairing(event):
            talks.append([])
        talks[-1].append(event)
    return [talk for talk in talks if talk]


def turns_due(history: History, talk: list[Event], messages: int) -> list[Message]:
    """Return who must speak to whom in a talk: first whoever may decline, then two in turn."""
    opening, *answers = talk
    pair = pair_begun(opening)
    if len(pair) < 2:
        return []
    turns = turns_of_two(pair, messages)
    if not begins_sidebar(opening) or not setting_in(history, "decline"):
        return turns
    first, second = pair
    consent = (second, first)
    accepts = bool(answers) and payload_of(answers[0], Agreement).accepts
    return [consent, *turns] if accepts else [consent]


def turns_of_two(pair: Members, messages: int) -> list[Message]:
    """Return who says each message to whom, two players in turn."""
    one, other = pair
    return [(other, one) if number % 2 else (one, other) for number in range(messages)]


def pair_begun(event: Event) -> Members:
    """Return who is to talk after an event, first speaker first; fewer than two means no talk."""
    if tells_pairing(event):
        return payload_of(event, Pairing).members
    if begins_sidebar(event):
        partner = payload_of(event, Invitation).partner
        return (str(event.player_id), partner) if partner else ()
    return ()


def hearer_of(event: Event) -> str | None:
    """Return the other player of a sidebar; a ranking has none."""
    if begins_sidebar(event):
        return payload_of(event, Invitation).partner
    if answers_invitation(event):
        return payload_of(event, Agreement).to
    if ranks_partners(event):
        return None
    return payload_of(event, SpeechTo).to
