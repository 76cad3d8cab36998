"""What a host knows when it speaks: all that is public, and what it is asked for."""

from dataclasses import dataclass

from engine.games.talks.host.parts import Hosting, Loss, Part
from engine.games.talks.speech.asking import plain_name
from engine.games.talks.speech.utterance import subject_of
from engine.games.talks.state import Exchange, labels_in
from engine.games.talks.talk_state import TalkState
from engine.games.talks.termination import SENTENCES


@dataclass(frozen=True, slots=True)
class HostView:
    """What a host sees; participants go by the names of their players.

    `people` has the expertise of each; `loss` is why the thread is lost, None in other parts;
    `ending` is why the talk is over, "" before; `allies` are the coalitions at this point, and
    `convergence`, 0 to 1, is how far the group agrees.
    """

    name: str
    part: Part
    topic: str
    turn: int
    people: dict[str, str]
    exchanges: tuple[Exchange, ...]
    loss: Loss | None
    ending: str
    allies: tuple[tuple[str, ...], ...]
    convergence: float

    @property
    def subject(self) -> str:
        """What the topic is about, as words that fit inside a sentence."""
        return subject_of(self.topic)

    @property
    def labels(self) -> list[str]:
        """The aspects that anybody has touched, in the order in which they came."""
        return labels_in(self.exchanges)

    @property
    def held(self) -> dict[str, str]:
        """The position that each took last, of those who took one."""
        positions = {}
        for exchange in self.exchanges:
            if exchange.position:
                positions[exchange.speaker] = exchange.position
        return positions

    @property
    def lost_at(self) -> Exchange | None:
        """The exchange in which the thread was lost."""
        return None if self.loss is None else self.exchanges[self.loss.about - 1]


def host_view(state: TalkState, host: Hosting, part: Part, loss: Loss | None) -> HostView:
    """Return what a host sees when it is asked for a part of its words."""
    talk = state.talk
    reason = None if state.check is None else state.check.reason
    return HostView(
        name=host.player_id,
        part=part,
        topic=talk.topic,
        turn=talk.turn_number,
        people=_expertise_by_player(state),
        exchanges=tuple(map(state.with_players, talk.exchanges)),
        loss=loss,
        ending="" if reason is None else SENTENCES[reason],
        allies=_allies_of(state),
        convergence=talk.convergence_level,
    )


def _expertise_by_player(state: TalkState) -> dict[str, str]:
    """Return what each participant knows about, by its player."""
    people = {}
    for one, player_id in state.names.items():
        own = state.talk.participants[one]
        people[player_id] = plain_name(own.expertise_area)
    return people


def _allies_of(state: TalkState) -> tuple[tuple[str, ...], ...]:
    """Return the coalitions, each by the names of its players in alphabetical order."""
    groups = []
    for group in state.talk.coalitions:
        names = [state.names[one] for one in group]
        groups.append(tuple(sorted(names)))
    return tuple(groups)


def host_values(view: HostView, words: int) -> dict[str, object]:
    """Return what the question to a host adds to the transcript."""
    return {
        "name": view.name,
        "part": view.part,
        "topic": view.topic,
        "people": [*view.people],
        "why": view.loss.why if view.loss else "",
        "lost_at": view.lost_at,
        "held": view.held,
        "ending": view.ending,
        "words": words,
    }
