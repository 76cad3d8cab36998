"""A discussion in the terminal, turn by turn."""

from engine.engine import GameEngine
from engine.games.talks.archetypes import DEPTHS
from engine.games.talks.game import TalksGame
from engine.games.talks.log.payloads import Stop, UtteranceData
from engine.history import Event, payload_of
from engine.report.tables import Sentence
from engine.spending.validity import void_sentence
from engine.views.foot import Foot
from engine.views.perspective import EVERYTHING
from engine.views.screen import Screen, safe_text
from engine.views.terminal import Page


class Stage:
    """Shows a discussion and, if `explaining`, the numbers behind each turn."""

    def __init__(self, foot: Foot, screen: Screen, engine: GameEngine, *, explaining: bool) -> None:
        self.foot = foot
        self.screen = screen
        self.engine = engine
        self.explaining = explaining
        self.page = Page(screen, engine.history.players)
        self.people_here = {
            player.player_id
            for player in engine.config.player_configs
            if player.kind.asks == "person"
        }
        names, participants = engine.state.names, engine.state.talk.participants
        self.personalities = {
            names[key]: str(participant.personality) for key, participant in participants.items()
        }

    @property
    def view(self) -> str:
        """The view to show: the view of the person at this terminal, or else everything."""
        return next(iter(self.people_here), EVERYTHING)

    @property
    def readers(self) -> dict[str, list[str]]:
        """The seats played by models, grouped by the kind of prompts that they receive."""
        readers: dict[str, list[str]] = {}
        for player in self.engine.config.player_configs:
            if player.kind.asks == "model":
                template = "for small models" if player.small else "in full"
                readers.setdefault(template, []).append(player.player_id)
        return readers

    def show_opening(self) -> None:
        """Print the topic, its depth, the number of participants, and the seed."""
        game = self.engine.config.game
        assert isinstance(game, TalksGame)
        seed = self.engine.config.seed
        self.show_line("🎭 Talks: Multi-Agent Discussion System", "bold")
        self.show_line(f"Topic: {game.topic}")
        self.show_line(f"Depth: {game.depth} ({DEPTHS[game.depth].name})")
        self.show_line(f"Participants: {len(self.personalities)}")
        if self.engine.state.host is not None:
            self.show_line(f"Host: {self.engine.state.host.player_id}")
        for reader, names in self.readers.items():
            self.show_line(f"Prompts {reader}: {', '.join(names)}")
        self.show_line(f"Seed: {seed} (repeat it with --seed {seed})", "dim")

    def show_event(self, event: Event) -> None:
        """Print an event's text above the foot of the screen."""
        with self.foot.below():
            self.print_event(event)

    def print_event(self, event: Event) -> None:
        """Print an event's text."""
        if self.explaining:
            for block in TalksGame.explain(event):
                self.page.show(block)
        match event.kind:
            case "setup" if event.player_id in self.people_here:
                self.show_line(f"\n{event.content}", "italic")
            case "thesis" if not self.people_here:
                self.show_line(f"\n{event.player_id} holds: {event.content}", "italic")
            case "utterance":
                self._show_turn(event)
            case "host":
                part = event.heading.removeprefix("Host: ")
                self.show_words(event, f"{event.player_id} (host): {part}")
            case "fault":
                then = event.data.get("then", "")
                self.show_line(f"fault: {event.player_id}: {event.content}; {then}", "red")
            case "stop":
                self.show_stop(payload_of(event, Stop))

    def _show_turn(self, event: Event) -> None:
        turn = payload_of(event, UtteranceData)
        who = f"Turn {turn.turn}: {turn.speaker} ({self.personalities[turn.speaker]})"
        target = f" → {turn.target}" if turn.target else ""
        self.show_words(event, who, f"Move: {turn.move}{target}")

    def show_words(self, event: Event, heading: str, move: str = "") -> None:
        """Print what a participant or the host says."""
        self.show_line(f"\n--- {heading} ---", "bold")
        if move:
            self.show_line(move, "cyan")
        fallback = " (the fallback)" if event.fell_back else ""
        self.show_line(f"{event.content}{fallback}")

    def show_stop(self, end: Stop) -> None:
        """Print why the discussion ended, how much it explored, and how far it converged."""
        explored = f"{end.exchanges} exchanges, {end.aspects} aspects explored"
        void = void_sentence(self.engine.history)
        if void:
            self.show_line(f"\n❌ The discussion is {void}: {end.sentence}", "bold red")
        else:
            self.show_line(f"\n✅ Discussion Complete: {end.sentence}", "bold green")
        self.show_line(f"📊 Summary: {explored}, convergence: {end.convergence:.2f}")

    def show_report(self) -> None:
        """Print the discussion's report; omit its sentences if the discussion is void."""
        history = self.engine.history
        void = void_sentence(history)
        for block in TalksGame.report(history):
            if not (void and isinstance(block, Sentence)):
                self.page.show(block)
        if void:
            self.page.show(Sentence(void, grave=True))

    def show_line(self, text: str, style: str = "") -> None:
        """Print a line literally, not as markup; a leading newline prints an empty line."""
        if text.startswith("\n"):
            self.screen.print()
        self.screen.print(safe_text(text, style))
